import { type EpochNode, summaryForPeople } from "./epochs.ts";
import { type TreeNode, treeRows, treeTitle } from "./tree-rows.ts";

/** Lines of each summary that are printed. */
const SUMMARY_LINES = 6;

/** The whole tree as text, each summary's beginning below its batch. */
export function treeText(epochs: readonly EpochNode[], now: number): string {
	const rows = treeRows(epochs, () => true, now);
	const width = Math.min(60, Math.max(...rows.map(({ text }) => text.length)));
	const lines = rows.flatMap(({ text, sizes, node }) => [
		`${text.padEnd(width)}  ${sizes}`.trimEnd(),
		...quoted(textOf(node)),
	]);
	return [treeTitle(epochs), ...lines].join("\n");
}

/** What stands for a batch or a task. */
function textOf(node: TreeNode): string {
	if (node.kind === "block") return node.block.body;
	return node.kind === "batch" ? (node.batch.text ?? "") : "";
}

function quoted(summary: string): string[] {
	if (summary === "") return [];
	const lines = summaryForPeople(summary).split("\n");
	const shown = lines.slice(0, SUMMARY_LINES).map((line) => `      | ${line}`);
	const more = lines.length - shown.length;
	return more > 0 ? [...shown, `      | … ${more} more`] : shown;
}
