import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { BudgetCheck, Config, ReportedUsage } from "../boundary.ts";
import { count, short } from "../ui/format.ts";
import type { FlushEnd, FlushTrigger } from "./flusher.ts";

/** After this many failed flushes in a row a budget waits no longer than that: 2^4 turns. */
const MAX_BACKOFF = 4;

/** What the gate works with. */
export interface BudgetParts {
	config: () => Pick<Config, "autoBudgetThreshold" | "budgetTurnDelta">;
	/** Asks the core whether a budget is used up; it keeps what the turn before used. */
	check: (usage: ReportedUsage) => BudgetCheck | undefined;
}

/** A flush that a budget asks for. */
export interface BudgetCall {
	trigger: FlushTrigger;
	/** What happened and what is done about it. */
	notice: string;
}

/**
 * The budget triggers: a context that has grown past a share of its window, or has grown by one in a single turn.
 *
 * Work that waits is known from the branch, so after a reload the gate is open without a new batch; nothing is flushed
 * at boot.
 */
export class BudgetGate {
	readonly #parts: BudgetParts;
	/** What waits was found at the start, and no turn has added to it. */
	#recovered = false;
	#failures = 0;
	/** Turns to let pass. */
	#pause = 0;

	constructor(parts: BudgetParts) {
		this.#parts = parts;
	}

	/** A branch was folded with this much waiting. */
	branchFolded(pendingBatches: number): void {
		this.#recovered = pendingBatches > 0;
	}

	/** Whether work from before a reload or a move waits. */
	get recovered(): boolean {
		return this.#recovered;
	}

	/** A turn has ended; `captured` are results it added, `pendingBatches` tells what waits now. */
	turnEnded(
		ctx: Pick<ExtensionContext, "getContextUsage" | "model">,
		turn: { captured: number; pendingBatches: () => number },
	): BudgetCall | undefined {
		if (turn.captured > 0) this.#recovered = false;
		const { autoBudgetThreshold, budgetTurnDelta } = this.#parts.config();
		// pi projects the whole branch to answer: not asked where nobody wants to know.
		if (autoBudgetThreshold === null && budgetTurnDelta === null) return undefined;
		const check = this.#parts.check(usageOf(ctx));
		if (!check?.due) return undefined;
		const pendingBatches = turn.pendingBatches();
		if (pendingBatches === 0) return undefined;
		if (this.#pause > 0) {
			this.#pause -= 1;
			return undefined;
		}
		return { trigger: this.#recovered ? "rearmed" : check.due, notice: this.#notice(check, pendingBatches) };
	}

	/**
	 * A flush has ended. One that fails at each turn costs money at each turn: after failures in a row the budgets wait
	 * 2, 4, 8, then 16 turns; whatever else starts a flush does not wait.
	 */
	flushEnded(end: FlushEnd): void {
		if (end.kind === "busy") return;
		this.#recovered = false;
		if (end.kind === "failed" || end.kind === "unwritten") {
			this.#failures = Math.min(this.#failures + 1, MAX_BACKOFF);
			this.#pause = 2 ** this.#failures;
		} else if (end.kind === "committed" || end.kind === "nothing") {
			this.#failures = 0;
			this.#pause = 0;
		}
	}

	#notice({ due, tokens, source }: BudgetCheck, pendingBatches: number): string {
		const what = due === "delta" ? "the context jumped in this turn" : "the context budget is used up";
		const size = `${source === "estimated" ? "about " : ""}${short(tokens)} tokens`;
		const work = this.#recovered ? "work from before the reload" : count(pendingBatches, "waiting turn");
		return `pi-decant: ${what} (${size}); summarizing ${work}.`;
	}
}

/** pi has no figure right after a compaction, and throws once its session is replaced: the core estimates then. */
function usageOf(ctx: Pick<ExtensionContext, "getContextUsage" | "model">): ReportedUsage {
	try {
		const usage = ctx.getContextUsage();
		const contextWindow = usage?.contextWindow ?? ctx.model?.contextWindow;
		return { tokens: usage?.tokens ?? null, ...(contextWindow === undefined ? {} : { contextWindow }) };
	} catch {
		return { tokens: null };
	}
}
