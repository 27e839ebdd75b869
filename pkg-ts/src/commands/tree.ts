import { branchLookup } from "../session/lookup.ts";
import { outcomeWords } from "../ui/epoch-words.ts";
import { type BatchNode, type BlockNode, type EpochNode, type ResultNode, summaryForPeople } from "../ui/epochs.ts";
import { count, refList } from "../ui/format.ts";
import { originalMarkdown, originalOf } from "../ui/original.ts";
import { type Reading, read } from "../ui/pane.ts";
import { say } from "../ui/say.ts";
import { resultWords, type TreeNode } from "../ui/tree-rows.ts";
import { treeText } from "../ui/tree-text.ts";
import { showTree } from "../ui/tree-view.ts";
import type { Call, Subcommand } from "./subcommand.ts";

export const tree: Subcommand = {
	name: "tree",
	usage: "[ref]",
	summary: "browse what was pruned, and its originals",
	run: show,
};

async function show(call: Call): Promise<void> {
	const { control, ctx, args } = call;
	const epochs = control.tree(ctx);
	if (!epochs) {
		say(ctx, "pi-decant: the ledger of this session cannot be read; see /pruner status.", "warning");
	} else if (epochs.length === 0) {
		say(ctx, "pi-decant: nothing was pruned on this branch yet.");
	} else if (args !== "") {
		await showOne(call, epochs, args);
	} else if (ctx.mode === "tui") {
		const parts = { epochs, now: Date.now(), title: titleOf(epochs), open: (node: TreeNode) => void open(call, node) };
		await showTree(call, parts);
	} else {
		say(ctx, treeText(epochs, Date.now()));
	}
}

/** One result or block by its ref. */
async function showOne(call: Call, epochs: readonly EpochNode[], ref: string): Promise<void> {
	const batches = epochs.flatMap(({ batches }) => batches.flatMap(({ results }) => results));
	const blocks = epochs.flatMap(({ blocks }) => blocks);
	const result = [...batches, ...blocks.flatMap(({ results }) => results)].findLast((each) => each.ref === ref);
	const block = blocks.findLast(({ id }) => id === ref);
	const reading = result ? resultReading(call, result) : block && blockReading(block);
	if (!reading) {
		say(
			call.ctx,
			`pi-decant: nothing on this branch has the ref "${ref}". /pruner tree shows those there are.`,
			"warning",
		);
	} else if (call.ctx.mode === "tui") {
		await read(call, reading);
	} else {
		say(call.ctx, `${reading.title}\n\n${reading.markdown}`);
	}
}

async function open(call: Call, node: TreeNode): Promise<void> {
	if (node.kind === "result") await read(call, resultReading(call, node.result));
	else if (node.kind === "batch") await read(call, batchReading(node.batch));
	else if (node.kind === "block") await read(call, blockReading(node.block));
}

function batchReading(batch: BatchNode): Reading {
	const refs = refList(batch.results.flatMap(({ ref }) => (ref ? [ref] : [])));
	return {
		title: `Turn ${batch.turn} · ${outcomeWords(batch)} · ${count(batch.results.length, "result")}${refs ? ` (${refs})` : ""}`,
		markdown: summaryForPeople(batch.text ?? ""),
	};
}

function blockReading({ id, refs, body }: BlockNode): Reading {
	return {
		title: `Block ${id} · ${count(refs.length, "result")}${refs.length > 0 ? ` (${refList(refs)})` : ""}`,
		markdown: body,
	};
}

function resultReading({ ctx }: Call, result: ResultNode): Reading {
	const view = ctx.sessionManager;
	const original = originalOf(view, branchLookup(view), result.entryId);
	const file = result.spillPath ? `Also in the file ${result.spillPath}\n\n` : "";
	return {
		title: [result.ref, resultWords(result)].filter(Boolean).join(" · "),
		markdown: original
			? file + originalMarkdown(original)
			: `${file}The original is not shown: another extension has removed it from the session.`,
	};
}

function titleOf(epochs: readonly EpochNode[]): string {
	const results = epochs.reduce(
		(sum, { batches }) => sum + batches.reduce((n, batch) => n + batch.results.length, 0),
		0,
	);
	return `Pruned on this branch: ${count(results, "result")} in ${count(epochs.length, "epoch")}`;
}
