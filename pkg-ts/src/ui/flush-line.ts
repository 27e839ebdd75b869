import type { FlushEnd } from "../flush/flusher.ts";
import { count, short, tokensOf } from "./format.ts";
import { pauseOf } from "./pause.ts";
import { REPEATED } from "./tally.ts";

/** A line about a flush, and how loud it is. */
export interface FlushLine {
	text: string;
	level: "info" | "warning";
}

/**
 * What a flush that ran by itself has to say: only what its epoch's line in the transcript does not. That is trouble, and
 * money for nothing, which a setting can prevent; what was left as it is for free is in `/pruner tree`.
 * `quiet` leaves out summaries that turned out too long to be used.
 */
export function backgroundLine(end: FlushEnd, quiet: boolean): FlushLine | undefined {
	if (end.kind === "failed" || end.kind === "unwritten" || end.kind === "held" || end.kind === "shared") {
		return flushLine(end);
	}
	if (end.kind !== "committed") return undefined;
	const { failures, outcome } = end;
	const said = [...(failures.length > 0 ? [flushFailures(failures)] : []), ...(quiet ? [] : tooLong(outcome.notes))];
	if (said.length === 0) return undefined;
	const text = `pi-decant: ${said.join(" ")}`;
	return failures.length > 0 ? warning(text) : info(text);
}

/** What a flush came to, for the user who asked for it. */
export function flushLine(end: FlushEnd): FlushLine {
	switch (end.kind) {
		case "nothing":
			return info("pi-decant: nothing to prune; no finished tool output is waiting that a summary would shorten.");
		case "held":
		case "shared":
			return warning(`pi-decant: ${pauseOf(end.kind).why}`);
		case "busy":
			return info("pi-decant: already summarizing; the result appears in the status line.");
		case "committed":
			return committed(end);
		case "failed":
			return warning(
				`pi-decant: summarizing failed (${end.failures[0]?.message ?? "no answer"}). Nothing was pruned; the next flush tries again. ${ANOTHER_MODEL}`,
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
	if (end.kind === "nothing") return info(`pi-decant: ${NO_TASK}`);
	if (end.kind !== "committed") return flushLine(end);
	const { outcome, failures } = end;
	const done =
		outcome.blocks.length === 0
			? NO_TASK
			: `${count(outcome.blocks.length, "finished task")} became ${outcome.blocks.length === 1 ? "a block" : "blocks"} (${outcome.blocks.join(", ")}), ${less(outcome.savedUnits)}.`;
	if (failures.length === 0) return info(`pi-decant: ${done}`);
	return warning(`pi-decant: ${done} ${flushFailures(failures)}`);
}

const NO_TASK = "no finished task is left to make a block of.";

/** What to do about a summarizer that does not answer. */
const ANOTHER_MODEL = "/pruner model chooses another summarizer.";

const DROPPED = {
	core: "pi-decant: an internal error kept the summaries from being used; see /pruner status.",
	moved: "pi-decant: the conversation moved on before the summaries were ready; the next flush does them again.",
	aborted: "pi-decant: summarizing was stopped, nothing was changed; the next flush does it again.",
};

type Committed = Extract<FlushEnd, { kind: "committed" }>;
type Note = Committed["outcome"]["notes"][number];

function committed({ outcome, failures, models }: Committed): FlushLine {
	const by = models?.length ? ` with ${models.join(" and ")}` : "";
	const summarized = `summarized ${count(outcome.calls, "tool result")} in ${count(outcome.summarized, "batch")}${by}`;
	const repeated = callsOf(outcome.notes, REPEATED);
	const changed = [
		...(outcome.summarized > 0 ? [summarized] : []),
		...(repeated > 0
			? [`pruned ${count(repeated, "result")} that ${repeated === 1 ? "repeats" : "repeat"} an earlier one`]
			: []),
	];
	const done =
		changed.length === 0
			? "pi-decant: nothing was summarized."
			: `pi-decant: ${changed.join(", ")}, ${less(outcome.savedUnits)}.`;
	const blocks =
		outcome.blocks.length > 0
			? [`Finished work became ${count(outcome.blocks.length, "block")} (${outcome.blocks.join(", ")}).`]
			: [];
	const text = [done, ...blocks, ...tooLong(outcome.notes), ...tooSmall(outcome.notes)].join(" ");
	return failures.length === 0 ? info(text) : warning(`${text} ${flushFailures(failures)}`);
}

function less(savedUnits: number): string {
	return `about ${short(tokensOf(Math.max(0, savedUnits)))} tokens less in each request from now on`;
}

function flushFailures(failures: Committed["failures"]): string {
	const [first] = failures;
	return `${count(failures.length, "batch")} failed and will be tried again (${first?.message ?? "no answer"}). ${ANOTHER_MODEL}`;
}

function callsOf(notes: readonly Note[], outcome: Note["outcome"]): number {
	return notes.reduce((sum, note) => sum + (note.outcome === outcome ? note.calls : 0), 0);
}

/** Summaries that were paid for and not used. */
function tooLong(notes: readonly Note[]): string[] {
	const long = notes.filter(({ outcome }) => outcome === "skipped-oversized");
	if (long.length === 0) return [];
	const sum = (pick: (note: Note) => number) =>
		long.reduce((total, note) => total + pick(note), 0).toLocaleString("en-US");
	return [
		`${count(long.length, "summary")} came out no shorter than the output and ${long.length === 1 ? "was" : "were"} not used (${sum((note) => note.summaryUnits)} characters for ${sum((note) => note.rawUnits)}); a higher /pruner min-batch-chars asks for fewer.`,
	];
}

/** What was not worth a summary. */
function tooSmall(notes: readonly Note[]): string[] {
	const small = notes.filter(({ outcome }) => outcome === "skipped-trivial");
	if (small.length === 0) return [];
	const units = small.reduce((total, { rawUnits }) => total + rawUnits, 0).toLocaleString("en-US");
	return [`Too small to be worth a summary: ${count(small.length, "batch")} of ${units} characters.`];
}

function info(text: string): FlushLine {
	return { text, level: "info" };
}

function warning(text: string): FlushLine {
	return { text, level: "warning" };
}
