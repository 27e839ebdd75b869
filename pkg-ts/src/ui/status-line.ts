import type { Report } from "../boundary.ts";
import { reclaim } from "./format.ts";

/** The key of our segment in pi's status line; the original's. */
export const STATUS_KEY = "context-prune";

/** What is going on beyond the numbers. */
export interface Activity {
	/** A flush is waiting for its summaries. */
	summarizing: boolean;
}

/** `│ prune: ON · 92k->14k (-85%) │`. */
export function statusLine(report: Pick<Report, "enabled" | "sizes">, activity: Activity): string {
	const parts = [`prune: ${report.enabled ? "ON" : "OFF"}`];
	const ratio = report.enabled ? reclaim(report.sizes) : undefined;
	if (ratio) parts.push(ratio);
	if (activity.summarizing) parts.push("summarizing");
	return `│ ${parts.join(" · ")} │`;
}
