import type { FlushEnd } from "../flush/flusher.ts";
import { count, short, tokensOf } from "./format.ts";

/** A line about a flush, and how loud it is. */
export interface FlushLine {
	text: string;
	level: "info" | "warning";
}

/**
 * What a flush that ran by itself has to say: nothing while all is well, since the status line shows the saving.
 */
export function backgroundLine(end: FlushEnd): FlushLine | undefined {
	if (end.kind === "failed" || end.kind === "unwritten" || end.kind === "held" || end.kind === "shared") {
		return flushLine(end);
	}
	if (end.kind === "committed" && end.failures.length > 0) return flushLine(end);
	return undefined;
}

/** What a flush came to, for the user who asked for it. */
export function flushLine(end: FlushEnd): FlushLine {
	switch (end.kind) {
		case "nothing":
			return info("pi-decant: nothing to prune; no finished tool output is waiting that a summary would shorten.");
		case "held":
			return warning(
				"pi-decant: context_tree_query is not among the active tools, so the model could not get originals back. Nothing is pruned; add it to --tools.",
			);
		case "shared":
			return warning(
				"pi-decant: another pi is writing to this session file, and neither sees what the other adds. Nothing more is pruned here; close one of them, then /reload.",
			);
		case "busy":
			return info("pi-decant: already summarizing; the result appears in the status line.");
		case "committed": {
			const { calls, summarized, savedUnits } = end.outcome;
			const by = end.models?.length ? ` with ${end.models.join(" and ")}` : "";
			const done = `pi-decant: summarized ${count(calls, "tool result")} in ${count(summarized, "batch")}${by}, about ${short(tokensOf(savedUnits))} tokens less in each request from now on.`;
			const first = end.failures[0];
			if (!first) return info(done);
			return warning(
				`${done} ${count(end.failures.length, "batch")} failed and will be tried again (${first.message}).`,
			);
		}
		case "failed":
			return warning(
				`pi-decant: summarizing failed (${end.failures[0]?.message ?? "no answer"}). Nothing was pruned; the next flush tries again.`,
			);
		case "unwritten":
			return warning(
				`pi-decant: the session file could not be written (${end.message}). Nothing was pruned; the next flush tries again.`,
			);
		case "dropped":
			return info(
				end.why === "core"
					? "pi-decant: an internal error kept the summaries from being used; see /pruner status."
					: "pi-decant: the conversation moved on before the summaries were ready; the next flush does them again.",
			);
	}
}

function info(text: string): FlushLine {
	return { text, level: "info" };
}

function warning(text: string): FlushLine {
	return { text, level: "warning" };
}
