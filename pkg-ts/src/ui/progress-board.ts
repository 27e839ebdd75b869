import type { FlushPlan } from "../boundary.ts";
import { outcomeWords } from "./epoch-words.ts";
import { count, short } from "./format.ts";
import type { BatchState, ProgressView } from "./progress.ts";

/** One line of the display: what stands in front of it, and the text. */
export interface BoardRow {
	mark: "spinner" | "✓" | "⚠" | "✗" | "○";
	text: string;
}

/** Batches shown at once; the rest scrolls through. */
const MAX_ROWS = 8;

interface Line {
	turn: number;
	label: string;
	calls: number;
	units: number;
	state: BatchState;
}

/** What a flush has told of itself, as lines. */
export class ProgressBoard implements ProgressView {
	readonly #changed: () => void;
	/** In the order of their turns; `#batches` are those of the plan. */
	#lines: Line[] = [];
	#batches: Line[] = [];

	/** `changed` is called whenever there is something new to show. */
	constructor(changed: () => void) {
		this.#changed = changed;
	}

	planned({ batches, skipped }: FlushPlan): void {
		this.#batches = batches.map(({ turn, calls, rawUnits }) => ({
			turn,
			label: toolsOf(calls.map(({ toolName }) => toolName)),
			calls: calls.length,
			units: rawUnits,
			state: { kind: "pending" },
		}));
		const left = skipped.map((batch) => ({
			turn: batch.turn,
			label: "",
			calls: batch.calls,
			units: "rawUnits" in batch && typeof batch.rawUnits === "number" ? batch.rawUnits : 0,
			state: { kind: "skipped" as const, why: outcomeWords(batch).replace("skipped: ", "") },
		}));
		this.#lines = [...this.#batches, ...left].sort((a, b) => a.turn - b.turn);
		this.#changed();
	}

	batch(index: number, state: BatchState): void {
		const line = this.#batches[index];
		if (!line) return;
		line.state = state;
		this.#changed();
	}

	/** `Summarizing 2 of 5 batches`; nothing before the plan is there. */
	get title(): string | undefined {
		if (this.#batches.length === 0) return undefined;
		const done = this.#batches.filter(({ state }) => state.kind !== "pending" && state.kind !== "running").length;
		return `Summarizing: ${done} of ${count(this.#batches.length, "batch")} done`;
	}

	/** The lines around the work in progress. */
	get rows(): BoardRow[] {
		const lines = this.#lines;
		const working = lines.findIndex(({ state }) => state.kind === "running" || state.kind === "pending");
		const first = Math.max(0, Math.min((working < 0 ? lines.length : working) - 2, lines.length - MAX_ROWS));
		const widths = {
			turn: Math.max(0, ...lines.map(({ turn }) => String(turn).length)),
			label: Math.max(0, ...lines.map(({ label }) => label.length)),
			calls: Math.max(0, ...lines.map(({ calls }) => count(calls, "result").length)),
		};
		return lines.slice(first, first + MAX_ROWS).map((line) => ({
			mark: markOf(line.state),
			text: [
				`turn ${String(line.turn).padEnd(widths.turn)}`,
				line.label.padEnd(widths.label),
				count(line.calls, "result").padEnd(widths.calls),
				stateWords(line),
			]
				.filter((part) => part !== "")
				.join("  "),
		}));
	}
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
	if (kind === "done") return "✓";
	if (kind === "skipped") return "⚠";
	return kind === "failed" ? "✗" : "○";
}

function stateWords({ units, state }: Line): string {
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
		case "failed":
			return "failed, the next flush tries again";
	}
}
