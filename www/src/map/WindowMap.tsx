import { useMemo } from "preact/hooks";
import type { Outline } from "../core/types.ts";
import { share, whole } from "../format.ts";
import { kindColor } from "../kinds.ts";
import { filter } from "../messages/Messages.tsx";
import { view } from "../page/Views.tsx";
import { nameOf as nameOfRequest, shown } from "../state/session.ts";
import { filterOf, keyOf, nameOf, partsOf, sumOf } from "./parts.ts";
import { Treemap } from "./Treemap.tsx";

export function WindowMap() {
	const now = shown.value;
	if (!now) return <p class="muted">Working out the request …</p>;
	return <Sides index={now.index} outline={now.view} />;
}

function Sides({ index, outline }: { index: number; outline: Outline }) {
	const [before, after] = [sumOf(outline.mapBefore), sumOf(outline.map)];
	const isSame = !outline.changed.includes(1);
	const pick = useMemo(
		() => (part: { kind: string; label: string }) => {
			const wanted = filterOf(part, outline);
			if (wanted === undefined) return;
			filter.value = wanted;
			view.value = "messages";
		},
		[outline],
	);
	const said = isSame
		? `${whole(before)} tokens, with and without pi-decant.`
		: `${whole(before)} tokens without pi-decant, ${whole(after)} with: ${whole(outline.saved)} saved.`;
	return (
		<>
			<p class="muted">
				{nameOfRequest(index)}: {said} A part leads to its messages.
			</p>
			<div class={isSame ? "maps same" : "maps"}>
				<Treemap
					name={isSame ? "With and without pi-decant" : "Without pi-decant"}
					parts={outline.mapBefore}
					pick={pick}
				/>
				{/* What was saved is drawn, so that both are of one scale. */}
				{!isSame && <Treemap name="With pi-decant; hatched: saved" parts={outline.map} pick={pick} />}
			</div>
			<Parts outline={outline} before={before} after={after} pick={pick} />
		</>
	);
}

interface PartsProps {
	outline: Outline;
	before: number;
	after: number;
	pick(part: { kind: string; label: string }): void;
}

function Parts({ outline, before, after, pick }: PartsProps) {
	const parts = useMemo(() => partsOf(outline), [outline]);
	return (
		<table class="parts">
			<thead>
				<tr>
					<th scope="col">Part, in tokens</th>
					<th scope="col">Without</th>
					<th scope="col">With</th>
					<th scope="col">Difference</th>
				</tr>
			</thead>
			<tbody>
				{parts.map((part) => (
					<tr key={keyOf(part)}>
						<th scope="row">
							<i style={{ background: kindColor(part.kind) }} aria-hidden="true" />
							{filterOf(part, outline) === undefined ? (
								<span class="name">{nameOf(part)}</span>
							) : (
								<button type="button" class="link" onClick={() => pick(part)}>
									{nameOf(part)}
								</button>
							)}
						</th>
						<Tokens of={part.before} all={before} />
						<Tokens of={part.after} all={after} />
						<td>{difference(part.before, part.after)}</td>
					</tr>
				))}
			</tbody>
			<tfoot>
				<tr>
					<th scope="row">All</th>
					<td>{whole(before)}</td>
					<td>{whole(after)}</td>
					<td>{difference(before, after)}</td>
				</tr>
			</tfoot>
		</table>
	);
}

function Tokens({ of, all }: { of: number; all: number }) {
	if (of === 0) return <td class="muted">0</td>;
	return (
		<td>
			{whole(of)} <small class="muted">{share(of, all)}</small>
		</td>
	);
}

const difference = (before: number, after: number) =>
	`${after < before ? "−" : after > before ? "+" : ""}${whole(Math.abs(after - before))}`;
