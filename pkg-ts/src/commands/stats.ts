import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { leftBecause, triggerWords } from "../ui/epoch-words.ts";
import type { BatchNode, EpochNode, ResultNode } from "../ui/epochs.ts";
import { count, dollars, short, tokensOf } from "../ui/format.ts";
import { savedPerRequest } from "../ui/money.ts";
import { say } from "../ui/say.ts";
import { REPEATED, sortResults } from "../ui/tally.ts";
import type { PrunerControl } from "./control.ts";
import type { Subcommand } from "./subcommand.ts";

export const stats: Subcommand = {
	name: "stats",
	summary: "what pruning did here, and what it cost",
	run: ({ control, ctx }) => say(ctx, statsText(control, ctx)),
};

/** Tools named in the line by tool. */
const MAX_TOOLS = 6;

/** The figures of the branch, a row each. */
export function statsText(control: PrunerControl, ctx: ExtensionContext): string {
	const report = control.report(ctx);
	const epochs = control.tree(ctx);
	if (!report || !epochs) return "pi-decant: the ledger of this session cannot be read; see /pruner status.";
	const batches = epochs.flatMap((epoch) => epoch.batches);
	const sorted = sortResults<ResultNode, BatchNode>(epochs);
	const { callCount, totalInputTokens, totalOutputTokens, totalCost } = report.stats;
	const rows: [string, string][] = [
		["Flushes", flushes(epochs)],
		["Summarized", summarized(batches)],
		["Repeated", repeated(batches)],
		["In files", inFiles(batches)],
		...archived(batches),
		["By tool", byTool(sorted.pruned)],
		["Left as is", left(sorted.left)],
		["Saved", saved(report.sizes, ctx)],
		[
			"Spent",
			callCount === 0
				? "nothing"
				: `${count(callCount, "summarizer call")}, ${short(totalInputTokens)} tokens in, ${short(totalOutputTokens)} out, ${dollars(totalCost)}`,
		],
	];
	const width = Math.max(...rows.map(([name]) => name.length));
	return ["pi-decant on this branch:", ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)].join("\n");
}

function flushes(epochs: readonly EpochNode[]): string {
	const triggers = Map.groupBy(
		epochs.filter(({ reason }) => reason === "flush"),
		({ trigger }) => trigger,
	);
	const parts = [...triggers].map(([trigger, list]) => `${list.length} ${triggerWords(trigger)}`);
	return parts.length === 0 ? "none" : parts.join(", ");
}

function summarized(batches: readonly BatchNode[]): string {
	const done = batches.filter(({ text }) => text !== undefined);
	if (done.length === 0) return "nothing";
	const before = done.reduce((sum, { rawUnits }) => sum + rawUnits, 0);
	const after = done.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
	return `${count(resultsOf(done).length, "result")} in ${count(done.length, "batch")}, ${tokens(before)} -> ${tokens(after)} tokens`;
}

/** Output that says the same as an earlier one: the model gets a reference to that. */
function repeated(batches: readonly BatchNode[]): string {
	const same = batches.filter(({ outcome }) => outcome === REPEATED);
	if (same.length === 0) return "nothing";
	const units = same.reduce((sum, { rawUnits }) => sum + rawUnits, 0);
	return `${count(resultsOf(same).length, "result")}, ${tokens(units)} tokens, pruned without a summary`;
}

/** What the original had pruned before us, in a session of its. */
function archived(batches: readonly BatchNode[]): [string, string][] {
	const results = resultsOf(batches.filter(({ outcome }) => outcome === "archived"));
	return results.length === 0 ? [] : [["pi-condense", `${count(results.length, "result")} archived by it`]];
}

function left(results: readonly { batch: BatchNode }[]): string {
	const parts = [...Map.groupBy(results, ({ batch }) => leftBecause(batch))].map(
		([why, list]) => `${count(list.length, "result")} (${why})`,
	);
	return parts.length === 0 ? "nothing" : parts.join(", ");
}

function inFiles(batches: readonly BatchNode[]): string {
	const files = resultsOf(batches).filter(({ spillPath }) => spillPath !== undefined);
	return files.length === 0 ? "nothing" : count(files.length, "result");
}

function byTool(pruned: readonly ResultNode[]): string {
	const sums = new Map<string, number>();
	for (const { tool, units } of pruned) sums.set(tool, (sums.get(tool) ?? 0) + units);
	const sorted = [...sums].sort(([, a], [, b]) => b - a);
	const named = sorted.slice(0, MAX_TOOLS).map(([tool, units]) => `${tool} ${tokens(units)}`);
	if (named.length === 0) return "nothing";
	return sorted.length > MAX_TOOLS ? `${named.join(", ")}, ${sorted.length - MAX_TOOLS} more` : named.join(", ");
}

function saved(sizes: { before: number; after: number }, ctx: ExtensionContext): string {
	if (sizes.before === 0) return "no request yet since pi started";
	const units = sizes.before - sizes.after;
	if (units <= 0) return "nothing in the last request";
	const money = savedPerRequest(units, ctx.model?.cost);
	return `${tokens(units)} tokens in each request${money === undefined ? "" : `, about ${dollars(money)} at the cached price`}`;
}

function resultsOf(batches: readonly BatchNode[]) {
	return batches.flatMap(({ results }) => results);
}

function tokens(units: number): string {
	return short(tokensOf(units));
}
