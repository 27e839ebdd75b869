import type { MessageView } from "../core/types.ts";
import { short } from "../format.ts";
import { scrolls } from "../page/scrolls.ts";
import { useAnswer } from "../state/answer.ts";
import { AT_FIRST } from "./WholeText.tsx";

interface Props {
	request: number;
	before: MessageView;
	after: MessageView;
}

export function DiffText({ request, before, after }: Props) {
	const { answer, failed } = useAnswer("diff", [request, before.index, after.index], [request, before, after]);
	if (failed) return <p class="trouble">{failed}</p>;
	if (!answer) return <p class="muted">Comparing …</p>;
	return (
		<pre class="text diff" {...scrolls("Diff")}>
			{answer.map(({ value, added, removed }, at) => {
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
