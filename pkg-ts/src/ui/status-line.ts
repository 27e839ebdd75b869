import type { Report } from "../boundary.ts";
import { reclaim } from "./format.ts";

/** The key of our segment in pi's status line; the original's. */
export const STATUS_KEY = "context-prune";

/** What is going on beyond the numbers. */
export interface Activity {
	/** A flush is waiting for its summaries. */
	summarizing: boolean;
	/** The agent is in the middle of its work: what it has piled up is news, the last request's saving is not. */
	capturing?: boolean;
	/** Why no flush can come. What was pruned before stays so. */
	paused?: string | undefined;
}

/**
 * `│ prune: ON · 92k->14k (-85%) │`, with ` · diag u1/o2` where something of it did not fit (condense.md section 17); while something is going on `│ prune: 3 pending │`, `│ prune: summarizing… │`; where nothing can be done any more `│ prune: PAUSED, another pi writes here │`.
 */
export function statusLine(report: StatusFigures, activity: Activity): string;
export function statusLine(report: StatusFigures | undefined, activity: Activity): string | undefined;
export function statusLine(report: StatusFigures | undefined, activity: Activity): string | undefined {
	if (report) return `│ prune: ${state(report, activity)} │`;
	// A core that was given up has no figures, but the reason for it.
	return activity.paused && `│ prune: ${pausedWords(activity.paused)} │`;
}

/** What the line is made of. */
export type StatusFigures = Pick<Report, "enabled" | "sizes" | "pendingCalls" | "unresolvedBlocks" | "droppedResults">;

function state(report: StatusFigures, activity: Activity): string {
	const { enabled, sizes, pendingCalls } = report;
	if (!enabled) return "OFF";
	if (activity.summarizing) return "summarizing…";
	if (activity.capturing && pendingCalls > 0 && !activity.paused) return `${pendingCalls} pending`;
	const ratio = reclaim(sizes);
	const trouble = diagnostics(report);
	const on = activity.paused ? pausedWords(activity.paused) : "ON";
	return [on, ...(ratio ? [ratio] : []), ...(trouble ? [`diag ${trouble}`] : [])].join(" · ");
}

function pausedWords(why: string): string {
	return `PAUSED, ${why}`;
}

/** `u1/o2`: blocks whose bounds are gone, results without a call; the original's letters. Empty where all is well. */
function diagnostics({ unresolvedBlocks, droppedResults }: StatusFigures): string {
	const counts = { u: unresolvedBlocks, o: droppedResults };
	return Object.entries(counts)
		.flatMap(([letter, n]) => (n > 0 ? [`${letter}${n}`] : []))
		.join("/");
}
