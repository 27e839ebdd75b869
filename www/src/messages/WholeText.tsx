import { useSignal } from "@preact/signals";
import type { Image, MessageView, Side } from "../core/types.ts";
import { short } from "../format.ts";
import { scrolls } from "../page/scrolls.ts";
import { useAnswer } from "../state/answer.ts";
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
	// The message itself is in it: another branch or other settings put another one in the same place.
	const { answer, failed } = useAnswer("message", [request, message.index, side], [request, message, side]);
	if (failed) return <p class="trouble">{failed}</p>;
	return (
		<div class="whole">
			{textToo && answer ? <LongText text={answer.text} /> : <Preview message={message} />}
			{answer && <Images images={answer.images} />}
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
