import type { FlushPlan } from "../boundary.ts";
import { leftBecause } from "./epoch-words.ts";
import { count, short } from "./format.ts";
import type { BatchState, ProgressView } from "./progress.ts";
import { REPEATED } from "./tally.ts";

/** One line of the display: what stands in front of it, and the text. */
export interface BoardRow {
	mark: "spinner" | "✓" | "⚠" | "✗" | "○";
	text: string;
}

/** Batches shown at once; the rest scrolls through. */
const MAX_ROWS = 8;

interface Line {
	/** Where it belongs in the order of the turns. */
	turn: number;
	/** `turn 3`, or the block that one text is made for. */
	head: string;
	label: string;
	calls: number;
	units: number;
	state: BatchState;
}

/** What a flush has told of itself, as lines. */
export class ProgressBoard implements ProgressView {
	readonly #changed: () => void;
	/** In the order of their turns, then the blocks; `#steps` are those of the plan, in its order. */
	#lines: Line[] = [];
	#steps: Line[] = [];

	/** `changed` is called whenever there is something new to show. */
	constructor(changed: () => void) {
		this.#changed = changed;
	}

	planned({ batches, fusions, skipped }: FlushPlan): void {
		const summaries = batches.map(
			({ turn, calls, rawUnits }): Line => ({
				turn,
				head: `turn ${turn}`,
				label: toolsOf(calls.map(({ toolName }) => toolName)),
				calls: calls.length,
				units: rawUnits,
				state: { kind: "pending" },
			}),
		);
		const left = skipped.map(
			(batch): Line => ({
				turn: batch.turn,
				head: `turn ${batch.turn}`,
				label: "",
				calls: batch.calls,
				units: "rawUnits" in batch && typeof batch.rawUnits === "number" ? batch.rawUnits : 0,
				state: batch.outcome === REPEATED ? { kind: "repeated" } : { kind: "skipped", why: leftBecause(batch) },
			}),
		);
		const blocks = fusions.map(
			({ block, prompt }): Line => ({
				turn: Number.POSITIVE_INFINITY,
				head: block,
				label: "a finished task",
				calls: 0,
				units: prompt.length,
				state: { kind: "pending" },
			}),
		);
		this.#steps = [...summaries, ...blocks];
		this.#lines = [...summaries, ...left].sort((a, b) => a.turn - b.turn).concat(blocks);
		this.#changed();
	}

	batch(index: number, state: BatchState): void {
		const line = this.#steps[index];
		if (!line) return;
		line.state = state;
		this.#changed();
	}

	/** `Summarizing: 2 of 5 batches done`; nothing before the plan is there. */
	get title(): string | undefined {
		if (this.#steps.length === 0) return undefined;
		const done = this.#steps.filter(({ state }) => state.kind !== "pending" && state.kind !== "running").length;
		const noun = this.#steps.some(({ calls }) => calls === 0) ? "text" : "batch";
		return `Summarizing: ${done} of ${count(this.#steps.length, noun)} done`;
	}

	/** The lines around the work in progress. */
	get rows(): BoardRow[] {
		const lines = this.#lines;
		const working = lines.findIndex(({ state }) => state.kind === "running" || state.kind === "pending");
		const first = Math.max(0, Math.min((working < 0 ? lines.length : working) - 2, lines.length - MAX_ROWS));
		const widths = {
			head: Math.max(0, ...lines.map(({ head }) => head.length)),
			label: Math.max(0, ...lines.map(({ label }) => label.length)),
			calls: Math.max(0, ...lines.map((line) => callsOf(line).length)),
		};
		return lines.slice(first, first + MAX_ROWS).map((line) => ({
			mark: markOf(line.state),
			text: [
				line.head.padEnd(widths.head),
				line.label.padEnd(widths.label),
				callsOf(line).padEnd(widths.calls),
				stateWords(line),
			]
				.filter((part) => part !== "")
				.join("  "),
		}));
	}
}

function callsOf({ calls }: Line): string {
	return calls === 0 ? "" : count(calls, "result");
}

/** `read x3, bash`: longest 18 columns, so that a row fits into 80. */
function toolsOf(names: readonly string[]): string {
	const counts = new Map<string, number>();
	for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
	const text = [...counts].map(([name, times]) => (times === 1 ? name : `${name} x${times}`)).join(", ");
	return text.length > 18 ? `${text.slice(0, 17)}…` : text;
}

function markOf({ kind }: BatchState): BoardRow["mark"] {
	if (kind === "running") return "spinner";
	if (kind === "done" || kind === "repeated") return "✓";
	if (kind === "skipped") return "⚠";
	return kind === "failed" ? "✗" : "○";
}

function stateWords({ units, state, calls }: Line): string {
	const raw = `${short(units)} chars`;
	switch (state.kind) {
		case "pending":
			return `${raw}, pending`;
		case "running":
			return state.units ? `${raw} -> ${short(state.units)} so far` : raw;
		case "done":
			return `${raw} -> ${short(state.units)}`;
		case "skipped":
			return `skipped: ${state.why}`;
		case "repeated":
			return "the same output as before, no summary needed";
		case "failed":
			// A block does without a text of its own.
			return calls === 0 ? "failed, its summaries stay side by side" : "failed, the next flush tries again";
	}
}
