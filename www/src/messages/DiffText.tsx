import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { DiffPiece } from "../core/protocol.ts";
import { short } from "../format.ts";
import { scrolls } from "../page/scrolls.ts";
import { core } from "../state/session.ts";
import { AT_FIRST } from "./WholeText.tsx";

export function DiffText({ request, before, after }: { request: number; before: number; after: number }) {
	const pieces = useSignal<DiffPiece[] | undefined>(undefined);
	const failed = useSignal<string | undefined>(undefined);
	useEffect(() => {
		let wanted = true;
		core()
			.call("diff", request, before, after)
			.then(
				(answer) => {
					if (wanted) pieces.value = answer;
				},
				(error: Error) => {
					if (wanted) failed.value = error.message;
				},
			);
		return () => {
			wanted = false;
		};
	}, [request, before, after, pieces, failed]);
	if (failed.value) return <p class="trouble">{failed.value}</p>;
	if (!pieces.value) return <p class="muted">Comparing …</p>;
	return (
		<pre class="text diff" {...scrolls("Diff")}>
			{pieces.value.map(({ value, added, removed }, at) => {
				const text = cut(value);
				if (added) return <ins key={at}>{text}</ins>;
				if (removed) return <del key={at}>{text}</del>;
				return text;
			})}
		</pre>
	);
}

const cut = (text: string) =>
	text.length <= AT_FIRST ? text : `${text.slice(0, AT_FIRST)}\n[… ${short(text.length - AT_FIRST)} more characters]`;
