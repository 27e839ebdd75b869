import { branchLookup } from "../session/lookup.ts";
import { outcomeWords } from "../ui/epoch-words.ts";
import { type BatchNode, type BlockNode, type EpochNode, type ResultNode, summaryForPeople } from "../ui/epochs.ts";
import { count, refList } from "../ui/format.ts";
import { originalMarkdown, originalOf } from "../ui/original.ts";
import { type Reading, read } from "../ui/pane.ts";
import { say } from "../ui/say.ts";
import { resultWords, type TreeNode, treeTitle } from "../ui/tree-rows.ts";
import { treeText } from "../ui/tree-text.ts";
import { showTree } from "../ui/tree-view.ts";
import type { PrunerControl } from "./control.ts";
import { wordsFrom } from "./setting.ts";
import type { Call, Completion, Subcommand } from "./subcommand.ts";

export const tree: Subcommand = {
	name: "tree",
	usage: "[ref]",
	summary: "browse what was pruned, and its originals",
	run: show,
	complete: (control, typed) => {
		const context = control.context();
		const epochs = (context && control.tree(context)) ?? [];
		return wordsFrom(refsOf(epochs), typed);
	},
};

/** Every ref there is, with what it stands for; the newest first. */
function refsOf(epochs: readonly EpochNode[]): Completion[] {
	const blocks = epochs.flatMap(({ blocks }) => blocks);
	const results = [...epochs.flatMap(({ batches }) => batches), ...blocks].flatMap(({ results }) => results);
	const named = results.flatMap((result) =>
		result.ref === undefined ? [] : [{ value: result.ref, description: resultWords(result) }],
	);
	return [...named, ...blocks.map(({ id }) => ({ value: id, description: "a finished task" }))].reverse();
}

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
		const parts = {
			epochs,
			now: Date.now(),
			title: treeTitle(epochs),
			open: (node: TreeNode) => void open(call, node),
		};
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

function resultReading({ control, ctx }: Call, result: ResultNode): Reading {
	const title = [result.ref, resultWords(result)].filter(Boolean).join(" · ");
	if (result.entryId === "") return { title, markdown: archived(control, result.ref) };
	const view = ctx.sessionManager;
	const original = originalOf(view, branchLookup(view), result.entryId);
	const file = result.spillPath ? `Also in the file ${result.spillPath}\n\n` : "";
	return {
		title,
		markdown: original
			? file + originalMarkdown(original)
			: `${file}The original is not shown: another extension has removed it from the session.`,
	};
}

/** What the original kept of an output that no entry of the branch has. */
function archived(control: PrunerControl, ref: string | undefined): string {
	const answer = ref === undefined ? "The original is not on this branch." : control.query([ref], {});
	if (typeof answer === "string") return answer;
	return answer.content.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n");
}
