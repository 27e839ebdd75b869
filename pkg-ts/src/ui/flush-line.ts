import type { FlushEnd } from "../flush/flusher.ts";
import { count, short, tokensOf } from "./format.ts";

/** A line about a flush, and how loud it is. */
export interface FlushLine {
	text: string;
	level: "info" | "warning";
}

/**
 * What a flush that ran by itself has to say: nothing while all is well, since the status line shows the saving.
 * `quiet` leaves out summaries that turned out too long to be used.
 */
export function backgroundLine(end: FlushEnd, quiet: boolean): FlushLine | undefined {
	if (end.kind === "failed" || end.kind === "unwritten" || end.kind === "held" || end.kind === "shared") {
		return flushLine(end);
	}
	if (end.kind !== "committed") return undefined;
	if (end.failures.length > 0) return flushLine(end);
	// Money for nothing, which a setting can prevent; what was left as it is for free is in /pruner tree.
	return !quiet && oversized(end.outcome) ? flushLine(end) : undefined;
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
		case "committed":
			return committed(end);
		case "failed":
			return warning(
				`pi-decant: summarizing failed (${end.failures[0]?.message ?? "no answer"}). Nothing was pruned; the next flush tries again.`,
			);
		case "unwritten":
			return warning(
				`pi-decant: the session file could not be written (${end.message}). Nothing was pruned; the next flush tries again.`,
			);
		case "dropped":
			return info(DROPPED[end.why]);
	}
}

/** What `/pruner compact` came to. */
export function compactLine(end: FlushEnd): FlushLine {
	if (end.kind === "nothing") return info("pi-decant: no chains eligible for compaction.");
	if (end.kind !== "committed") return flushLine(end);
	const { outcome, failures } = end;
	const done =
		outcome.blocks.length === 0
			? "no chains eligible for compaction."
			: `compacted ${count(outcome.blocks.length, "chain")} (${outcome.blocks.join(", ")}), reclaimed ~${short(tokensOf(Math.max(0, outcome.savedUnits)))} tokens.`;
	if (failures.length === 0) return info(`pi-decant: ${done}`);
	return warning(`pi-decant: ${done} ${flushFailures(failures)}`);
}

const DROPPED = {
	core: "pi-decant: an internal error kept the summaries from being used; see /pruner status.",
	moved: "pi-decant: the conversation moved on before the summaries were ready; the next flush does them again.",
	aborted: "pi-decant: summarizing was stopped, nothing was changed; the next flush does it again.",
};

type Committed = Extract<FlushEnd, { kind: "committed" }>;
type Note = Committed["outcome"]["notes"][number];

function committed({ outcome, failures, models }: Committed): FlushLine {
	const by = models?.length ? ` with ${models.join(" and ")}` : "";
	const done =
		outcome.summarized === 0
			? "pi-decant: nothing was summarized."
			: `pi-decant: summarized ${count(outcome.calls, "tool result")} in ${count(outcome.summarized, "batch")}${by}, about ${short(tokensOf(outcome.savedUnits))} tokens less in each request from now on.`;
	const blocks =
		outcome.blocks.length > 0
			? [`Finished work became ${count(outcome.blocks.length, "block")} (${outcome.blocks.join(", ")}).`]
			: [];
	const text = [done, ...blocks, ...leftAsTheyAre(outcome.notes)].join(" ");
	return failures.length === 0 ? info(text) : warning(`${text} ${flushFailures(failures)}`);
}

function flushFailures(failures: Committed["failures"]): string {
	return `${count(failures.length, "batch")} failed and will be tried again (${failures[0]?.message}).`;
}

function oversized({ notes }: Committed["outcome"]): boolean {
	return notes.some(({ outcome }) => outcome === "skipped-oversized");
}

/** What was not summarized, and why: a sentence for each reason. */
function leftAsTheyAre(notes: readonly Note[]): string[] {
	const of = (outcome: Note["outcome"]) => notes.filter((note) => note.outcome === outcome);
	const sum = (of: Note[], what: (note: Note) => number) => of.reduce((total, note) => total + what(note), 0);
	const number = (n: number) => n.toLocaleString("en-US");
	const [long, small, same] = [of("skipped-oversized"), of("skipped-trivial"), of("skipped-deduped")];
	return [
		...(long.length > 0
			? [
					`Summaries that came out no shorter and were not used: ${long.length} (${number(sum(long, (note) => note.summaryUnits))} characters for ${number(sum(long, (note) => note.rawUnits))}).`,
				]
			: []),
		...(small.length > 0
			? [
					`Too small to be worth a summary: ${count(small.length, "batch")} of ${number(sum(small, (note) => note.rawUnits))} characters.`,
				]
			: []),
		...(same.length > 0
			? [
					`The same as before: ${count(
						sum(same, (note) => note.calls),
						"tool result",
					)}.`,
				]
			: []),
	];
}

function info(text: string): FlushLine {
	return { text, level: "info" };
}

function warning(text: string): FlushLine {
	return { text, level: "warning" };
}
