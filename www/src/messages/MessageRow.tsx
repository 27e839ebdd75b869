import { useSignal } from "@preact/signals";
import type { Change, MessageView, Row, Side } from "../core/types.ts";
import { plural, tokensOf, whole } from "../format.ts";
import { kindColor, kindOfRole } from "../kinds.ts";
import { ask } from "../query/ask.ts";
import { DiffText } from "./DiffText.tsx";
import { nameOf } from "./items.ts";
import { WholeText } from "./WholeText.tsx";

type Open = "text" | "diff" | undefined;

export function MessageRow({ request, row }: { request: number; row: Row }) {
	const open = useSignal<Open>(undefined);
	const { before, after, change } = row;
	const toggle = (what: Open) => {
		open.value = open.value === what ? undefined : what;
	};
	const changed = change !== undefined || !before || !after;
	const first = (before ?? after) as MessageView;
	return (
		<article
			class={changed ? "message changed" : "message"}
			style={{ "--edge": kindColor(kindOfRole(first.role)) }}
			aria-label={before ? `${nameOf(first)}, message ${first.index + 1}` : `${nameOf(first)}, added`}
		>
			<header>
				<span class="who">
					<i aria-hidden="true" />
					{nameOf(first)}
				</span>
				{/* Numbers count the list without pi-decant; what is added has none there. */}
				<span class="muted">{before ? `#${before.index + 1}` : "added"}</span>
				<Size before={before} after={after} />
				{change && <Chip change={change} />}
				<span class="actions">
					<button type="button" class="quiet" aria-expanded={open.value === "text"} onClick={() => toggle("text")}>
						Whole text
					</button>
					{changed && before && after && (
						<button type="button" class="quiet" aria-expanded={open.value === "diff"} onClick={() => toggle("diff")}>
							Diff
						</button>
					)}
				</span>
			</header>
			{open.value === "diff" && before && after ? (
				<DiffText request={request} before={before} after={after} />
			) : changed ? (
				<div class="pair">
					<Text request={request} message={before} side="before" isOpen={open.value === "text"} />
					<Text request={request} message={after} side="after" isOpen={open.value === "text"} />
				</div>
			) : (
				<Text request={request} message={after} side="after" isOpen={open.value === "text"} />
			)}
		</article>
	);
}

function Size({ before, after }: { before: MessageView | undefined; after: MessageView | undefined }) {
	const [was, is] = [tokensOf(before?.units ?? 0), tokensOf(after?.units ?? 0)];
	return (
		<span class="size" title="Tokens of the text, as pi estimates them: a quarter of its characters">
			{was === is ? plural(is, "token") : `${whole(was)} → ${whole(is)} tokens`}
		</span>
	);
}

function Chip({ change: { what, why, savedTokens, ref } }: { change: Change }) {
	const saved = savedTokens >= 0 ? `${whole(savedTokens)} saved` : `${whole(-savedTokens)} added`;
	return (
		<span class="chip">
			<b>{what}</b> <span>{why}</span> <span class="saving">{saved}</span>
			{ref && (
				<button type="button" class="ref" title={`Fetch ${ref} back, as the agent would`} onClick={() => ask(ref)}>
					{ref}
				</button>
			)}
		</span>
	);
}

interface TextProps {
	request: number;
	message: MessageView | undefined;
	side: Side;
	isOpen: boolean;
}

function Text({ request, message, side, isOpen }: TextProps) {
	if (!message) return <p class="absent">{side === "before" ? "Not there without pi-decant" : "Left out"}</p>;
	// Pictures are shown at once: a stub that stands for one is judged by what it hides.
	if (isOpen || message.images > 0)
		return <WholeText request={request} message={message} side={side} textToo={isOpen} />;
	return <Preview message={message} />;
}

export function Preview({ message }: { message: MessageView }) {
	if (message.preview === "") return <p class="absent">No text</p>;
	return (
		<pre class="preview">
			{message.preview}
			{message.preview.length < message.units ? " …" : ""}
		</pre>
	);
}
