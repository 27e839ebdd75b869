import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Report } from "../boundary.ts";
import type { CoreFailure } from "../core.ts";
import { quoteWord } from "../settings/words.ts";
import { chooseModel, modelName } from "../summarizer/model.ts";
import { flushLine } from "../ui/flush-line.ts";
import { count, dollars, reclaimWords, short, tokensOf } from "../ui/format.ts";
import { lastReply, savedPerRequest } from "../ui/money.ts";
import { say } from "../ui/say.ts";
import type { PrunerControl } from "./control.ts";
import type { Subcommand } from "./subcommand.ts";

export const status: Subcommand = {
	name: "status",
	summary: "what is pruned, what waits, what went wrong",
	run: ({ control, ctx }) => say(ctx, statusText(control, ctx)),
};

/** The status, a fact a line. */
export function statusText(control: PrunerControl, ctx: ExtensionContext): string {
	const config = control.config();
	const report = control.report(ctx);
	const failure = control.lastFailure();
	const paused = control.paused();
	const state = paused
		? `paused: ${paused.why}`
		: `${config.enabled ? "on" : "off"}${control.flushing() ? ", summarizing" : ""}.`;
	return [
		`pi-decant: pruning is ${state}`,
		...(report
			? [
					...reportLines(report, waitsFor(control), ctx),
					...budgetLines(control, ctx, report),
					...protectionLines(control, report),
				]
			: ["The ledger of this session cannot be read; pi sends everything."]),
		summarizerLine(config.summarizerModel, ctx),
		...lastFlushLines(control),
		`Settings: contextPrune in ${control.settingsPath()}.`,
		...(failure ? [`Last internal error, while ${failure.doing}: ${trace(failure)}`] : []),
	].join("\n");
}

function summarizerLine(setting: string, ctx: ExtensionContext): string {
	const { model, warning } = chooseModel(setting, ctx);
	if (!model) return "Summarizer: none, no model is selected.";
	const instead = warning ? `, since pi knows no "${setting}"; /pruner model sets another` : "";
	const why = setting === "default" || warning ? ` (the session's model${instead})` : "";
	return `Summarizer: ${modelName(model)}${why}.`;
}

/** The innermost frames tell what failed. */
function trace({ message, stack }: CoreFailure): string {
	return stack ? stack.split("\n").slice(0, 6).join("\n") : message;
}

function waitsFor(control: PrunerControl): string {
	if (control.flushing()) return "being summarized";
	if (!control.config().enabled) return "left as is while pruning is off";
	if (control.paused()) return "left as is while pruning is paused";
	return control.config().pruneOn === "agent-message" ? "summarized after the next reply" : "summarized by /pruner now";
}

function reportLines(report: Report, when: string, ctx: ExtensionContext): string[] {
	const { totalInputTokens, totalOutputTokens, totalCost, callCount } = report.stats;
	return [
		requestLine(report, ctx),
		...diagnosticLines(report),
		...replyLines(ctx),
		report.refs === 0
			? "Archived: nothing yet."
			: `Archived: ${count(report.refs, "tool result")}, all recoverable. /pruner tree shows them.`,
		weightLine(report),
		report.pendingCalls === 0
			? "Waiting: nothing."
			: `Waiting: ${count(report.pendingCalls, "tool result")}, about ${short(tokensOf(report.pendingUnits))} tokens; ${when}.`,
		`Spent on summaries: ${count(callCount, "call")}, ${short(totalInputTokens)} tokens in, ${short(totalOutputTokens)} out, ${dollars(totalCost)}.`,
	];
}

function requestLine({ sizes, shownStubs }: Report, ctx: ExtensionContext): string {
	const ratio = reclaimWords(sizes);
	if (sizes.before === 0) return "Last request: none yet since pi started.";
	if (!ratio) return "Last request: nothing was pruned.";
	const money = savedPerRequest(sizes.before - sizes.after, ctx.model?.cost);
	const saving = money === undefined ? "" : `, about ${dollars(money)} less at the cached price`;
	return `Last request: ${ratio}, ${count(shownStubs, "tool result")} shown as stubs${saving}.`;
}

/** What of our decisions found no place in the last request, and what pi would have sent and a provider refused. */
function diagnosticLines({ unresolvedBlocks, droppedResults }: Report): string[] {
	return [
		...(unresolvedBlocks > 0
			? [`${count(unresolvedBlocks, "block")} not shown: what it would hide is partly gone, so all of it is sent.`]
			: []),
		...(droppedResults > 0
			? [`${count(droppedResults, "tool result")} left out: no call in the request asks for it.`]
			: []),
	];
}

/** Where the context's weight is (the original's think and chain; its gap is what waits). */
function weightLine({ metrics, shownBlocks }: Report): string {
	const { openThinkingTokens, largestChainPercent } = metrics;
	const thinking = openThinkingTokens > 0 ? `, thinking of the task under way ${short(openThinkingTokens)} tokens` : "";
	const blocks = shownBlocks > 0 ? `, ${count(shownBlocks, "block")} for finished tasks` : "";
	return `Weight: the largest task is ${Math.round(largestChainPercent)}% of the context${thinking}${blocks}.`;
}

/** What the provider counted and charged, where it says. */
function replyLines(ctx: ExtensionContext): string[] {
	const reply = lastReply(ctx.sessionManager);
	if (!reply) return [];
	const cached = reply.cached > 0 ? `, ${short(reply.cached)} of them from its cache` : "";
	const cost = reply.cost > 0 ? `, ${dollars(reply.cost)} with the answer` : "";
	return [`The provider counted ${short(reply.tokens)} tokens${cached}${cost}.`];
}

/** How much there is to send, and from when on that starts a flush. */
function budgetLines(control: PrunerControl, ctx: ExtensionContext, report: Report): string[] {
	const { autoBudgetThreshold, budgetTurnDelta, budgetCeilingTokens } = control.config();
	const window = ctx.model?.contextWindow ?? 0;
	const limit = Math.min(window, budgetCeilingTokens ?? window);
	const carried = report.contextTokens;
	const share = window > 0 ? `, ${Math.round((carried / window) * 100)}% of ${short(window)}` : "";
	const triggers = [
		...(autoBudgetThreshold === null ? [] : [`from ${short(autoBudgetThreshold * limit)} tokens on`]),
		...(budgetTurnDelta === null ? [] : [`when a turn adds ${short(budgetTurnDelta * limit)}`]),
	];
	const when = triggers.length > 0 && limit > 0 ? ` A task is flushed in its middle ${triggers.join(", or ")}.` : "";
	return [`Next request: about ${short(carried)} tokens without the system prompt${share}.${when}`];
}

/** What the user protects in vain; that what is protected by default occurs nowhere is no news. */
function protectionLines(control: PrunerControl, { protectedUnmatched }: Report): string[] {
	const installed = control.settings().rows.flatMap((row) => (Array.isArray(row.default) ? row.default : []));
	const vain = protectedUnmatched.filter((name) => !installed.includes(name));
	return vain.length === 0 ? [] : [`Protected, but matching nothing here so far: ${vain.map(quoteWord).join(" ")}.`];
}

/** How the newest flush went wrong; what went well shows in the figures. */
function lastFlushLines(control: PrunerControl): string[] {
	const end = control.lastFlush();
	// What keeps pruning paused stands in the first line.
	if (!end || end.kind === "nothing" || end.kind === "busy" || end.kind === "held" || end.kind === "shared") return [];
	const { text, level } = flushLine(end);
	return level === "warning" ? [`Last flush: ${text.replace(/^pi-decant: /, "")}`] : [];
}
