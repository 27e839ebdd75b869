import type { SummaryUsage } from "../boundary.ts";
import { sumUsage } from "../summarizer/judge.ts";

const NOTHING: SummaryUsage = { input: 0, output: 0, cost: 0 };

/** Others that add up what a session costs listen to this; the original's channel. */
export const COST_CHANNEL = "cost:external";

/** What is sent there: totals since `session_start`. */
export interface ExternalCost {
	source: "pi-decant";
	/** Dollars. */
	totalCost: number;
	inputTokens: number;
	outputTokens: number;
}

/**
 * What the summarizer calls of this session have cost since it started, whatever became of them: a summary that was
 * too long, useless or aborted was paid for all the same.
 */
export class Bill {
	#total = NOTHING;
	#unwritten = NOTHING;
	#announced = 0;

	/** A call has ended. */
	add(usage: SummaryUsage | undefined): void {
		this.#total = sumUsage(this.#total, usage) ?? NOTHING;
		this.#unwritten = sumUsage(this.#unwritten, usage) ?? NOTHING;
	}

	/** What no epoch accounts for yet. */
	get unwritten(): SummaryUsage {
		return this.#unwritten;
	}

	/** An epoch that accounts for all of it stands in the session. */
	written(): void {
		this.#unwritten = NOTHING;
	}

	/** Starts again at nothing. */
	reset(): void {
		this.#total = NOTHING;
		this.#unwritten = NOTHING;
		this.#announced = 0;
	}

	/** The totals, where they have changed since this was asked last. */
	news(): ExternalCost | undefined {
		const { input, output, cost } = this.#total;
		const mark = input + output + cost;
		if (mark === this.#announced) return undefined;
		this.#announced = mark;
		return { source: "pi-decant", totalCost: cost, inputTokens: input, outputTokens: output };
	}
}
