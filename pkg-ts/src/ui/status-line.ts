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
}

/** `│ prune: ON · 92k->14k (-85%) │`; while something is going on `│ prune: 3 pending │`, `│ prune: summarizing… │`. */
export function statusLine(report: Pick<Report, "enabled" | "sizes" | "pendingCalls">, activity: Activity): string {
	return `│ prune: ${state(report, activity)} │`;
}

function state({ enabled, sizes, pendingCalls }: Parameters<typeof statusLine>[0], activity: Activity): string {
	if (!enabled) return "OFF";
	if (activity.summarizing) return "summarizing…";
	if (activity.capturing && pendingCalls > 0) return `${pendingCalls} pending`;
	const ratio = reclaim(sizes);
	return ratio ? `ON · ${ratio}` : "ON";
}
