import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Image, MessageView, Side, WholeMessage } from "../core/types.ts";
import { short } from "../format.ts";
import { scrolls } from "../page/scrolls.ts";
import { core } from "../state/session.ts";
import { Preview } from "./MessageRow.tsx";

/** UTF-16 units shown at first: a megabyte of text in one element takes a second to lay out. */
export const AT_FIRST = 20_000;

interface Props {
	request: number;
	message: MessageView;
	side: Side;
	/** Else pictures only, with the preview. */
	textToo: boolean;
}

export function WholeText({ request, message, side, textToo }: Props) {
	const got = useSignal<WholeMessage | undefined>(undefined);
	const failed = useSignal<string | undefined>(undefined);
	useEffect(() => {
		let wanted = true;
		core()
			.call("message", request, message.index, side)
			.then(
				(answer) => {
					if (wanted) got.value = answer;
				},
				(error: Error) => {
					if (wanted) failed.value = error.message;
				},
			);
		return () => {
			wanted = false;
		};
	}, [request, message.index, side, got, failed]);
	if (failed.value) return <p class="trouble">{failed.value}</p>;
	return (
		<div class="whole">
			{textToo && got.value ? <LongText text={got.value.text} /> : <Preview message={message} />}
			{got.value && <Images images={got.value.images} />}
		</div>
	);
}

export function LongText({ text }: { text: string }) {
	const all = useSignal(false);
	const shown = all.value ? text : text.slice(0, AT_FIRST);
	return (
		<>
			<pre class="text" {...scrolls("Text")}>
				{shown}
			</pre>
			{shown.length < text.length && (
				<button
					type="button"
					class="plain"
					onClick={() => {
						all.value = true;
					}}
				>
					Show all {short(text.length)} characters
				</button>
			)}
		</>
	);
}

/** Formats a browser draws without running anything in them. */
const drawable = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function Images({ images }: { images: readonly Image[] }) {
	if (images.length === 0) return null;
	return (
		<div class="images">
			{images.map(({ data, mimeType }, at) =>
				drawable.has(mimeType) ? (
					<img key={at} src={`data:${mimeType};base64,${data}`} alt={`${at + 1} of this message`} loading="lazy" />
				) : (
					<p key={at} class="absent">
						A picture of type {mimeType}, which is not shown here
					</p>
				),
			)}
		</div>
	);
}
