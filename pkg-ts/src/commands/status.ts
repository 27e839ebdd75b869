import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Report } from "../boundary.ts";
import type { CoreFailure } from "../core.ts";
import { chooseModel } from "../summarizer/model.ts";
import { count, reclaim, short, tokensOf } from "../ui/format.ts";
import { say } from "../ui/say.ts";
import type { PrunerControl } from "./control.ts";
import type { Subcommand } from "./pruner.ts";

export const status: Subcommand = {
	name: "status",
	summary: "show what is pruned, what is waiting, what it cost",
	run: (control, ctx) => say(ctx, statusText(control, ctx)),
};

/** The status, a fact a line. */
export function statusText(control: PrunerControl, ctx: ExtensionContext): string {
	const config = control.config();
	const report = control.report(ctx);
	const failure = control.lastFailure();
	const { model } = chooseModel(config.summarizerModel, ctx);
	return [
		`pi-decant: pruning is ${config.enabled ? "on" : "off"}${control.flushing() ? ", summarizing" : ""}.`,
		...(report
			? reportLines(report, waitsFor(control))
			: ["The ledger of this session cannot be read; pi sends everything."]),
		`Summarizer: ${model ? `${model.provider}/${model.id}` : "none, no model is selected"}${model && config.summarizerModel === "default" ? " (the session's model)" : ""}.`,
		`Settings: contextPrune in ${control.settingsPath()}.`,
		...(failure ? [`Last internal error, while ${failure.doing}: ${trace(failure)}`] : []),
	].join("\n");
}

/** The innermost frames tell what failed. */
function trace({ message, stack }: CoreFailure): string {
	return stack ? stack.split("\n").slice(0, 6).join("\n") : message;
}

function waitsFor(control: PrunerControl): string {
	if (control.flushing()) return "being summarized";
	if (!control.config().enabled) return "left as they are while pruning is off";
	return control.config().pruneOn === "agent-message" ? "summarized after the next reply" : "summarized by /pruner now";
}

function reportLines(report: Report, when: string): string[] {
	const { totalInputTokens, totalOutputTokens, totalCost, callCount } = report.stats;
	const ratio = reclaim(report.sizes);
	return [
		report.sizes.before === 0
			? "Last request: none yet since pi started."
			: ratio
				? `Last request: ${ratio} tokens (4 characters each), ${count(report.shownStubs, "tool result")} shown as summaries.`
				: "Last request: nothing was pruned.",
		`Archived: ${count(report.refs, "tool result")}, all recoverable.`,
		report.pendingCalls === 0
			? "Waiting: nothing."
			: `Waiting: ${count(report.pendingCalls, "tool result")}, about ${short(tokensOf(report.pendingUnits))} tokens; ${when}.`,
		`Spent on summaries: ${count(callCount, "call")}, ${short(totalInputTokens)} tokens in, ${short(totalOutputTokens)} out, $${totalCost.toFixed(4)}.`,
	];
}
