import type { FlushOutcome, FlushPlan, Summary } from "../boundary.ts";

/** Why a flush was started; written into its epoch. */
export type FlushTrigger = "agent-message" | "on-demand";

/** A summarizer call that gave nothing usable. */
export interface SummaryFailure {
	message: string;
}

/** How a flush ended. */
export type FlushEnd =
	/** Nothing was pending, or nothing of it was worth a change. */
	| { kind: "nothing" }
	/** Not started: the model could not get originals back. */
	| { kind: "held" }
	/** Another flush is under way. */
	| { kind: "busy" }
	/** The epoch is in the session; `failures` are batches left for the next flush. */
	| { kind: "committed"; outcome: FlushOutcome; failures: SummaryFailure[] }
	/** Not one summary came back. */
	| { kind: "failed"; failures: SummaryFailure[] }
	/** The branch moved, or pi is closing; to be done again. */
	| { kind: "dropped"; why: "moved" | "aborted" | "core" }
	/** pi could not write the entry. */
	| { kind: "unwritten"; message: string };

/** What a commit comes to. */
export type CommitEnd = Extract<FlushEnd, { kind: "committed" | "failed" | "nothing" | "dropped" | "unwritten" }>;

/** What a flush needs of the session; all but `summarize` return within the tick. */
export interface FlushDesk {
	plan(trigger: FlushTrigger): FlushPlan | undefined;
	summarize(prompt: string, signal: AbortSignal): Promise<Summary | SummaryFailure>;
	/** Checks that the plan still fits the branch and writes its epoch, all in one tick. */
	commit(plan: FlushPlan, summaries: (Summary | null)[], failures: SummaryFailure[]): CommitEnd;
	drop(plan: FlushPlan): void;
	/** Batches summarized at once. */
	concurrency(): number;
}

/** Told of each step of a flush; for progress displays. */
export type FlushProgress = (plan: FlushPlan, done: number) => void;

/**
 * One flush at a time, from plan to commit.
 *
 * The agent is not held up: `start` returns a promise nobody has to await. What is in flight at shutdown is settled by
 * `settle`, which pi awaits.
 */
export class Flusher {
	readonly #desk: FlushDesk;
	#running: { end: Promise<FlushEnd>; controller: AbortController } | undefined;
	#closed = false;

	constructor(desk: FlushDesk) {
		this.#desk = desk;
	}

	/** Whether a flush is under way. */
	get busy(): boolean {
		return this.#running !== undefined;
	}

	/** Starts a flush unless one is under way. Never rejects. */
	start(trigger: FlushTrigger, options: { signal?: AbortSignal; progress?: FlushProgress } = {}): Promise<FlushEnd> {
		if (this.#closed) return Promise.resolve({ kind: "dropped", why: "aborted" });
		if (this.#running) return Promise.resolve({ kind: "busy" });
		const controller = new AbortController();
		const signal = options.signal ? AbortSignal.any([controller.signal, options.signal]) : controller.signal;
		const end = this.#run(trigger, signal, options.progress).finally(() => {
			this.#running = undefined;
		});
		this.#running = { end, controller };
		return end;
	}

	/** Ends the flush in flight; its results stay in context. */
	abort(): void {
		this.#running?.controller.abort();
	}

	/**
	 * Waits for the flush in flight, up to `waitMs`, then aborts it; starts none any more. A summarizer that does not
	 * react to its signal is left behind after another 250 ms.
	 */
	async settle(waitMs: number): Promise<void> {
		this.#closed = true;
		const running = this.#running;
		if (!running) return;
		if (await within(running.end, waitMs)) return;
		running.controller.abort();
		await within(running.end, 250);
	}

	async #run(trigger: FlushTrigger, signal: AbortSignal, progress?: FlushProgress): Promise<FlushEnd> {
		const plan = this.#desk.plan(trigger);
		if (!plan) return { kind: "nothing" };
		try {
			const failures: SummaryFailure[] = [];
			let done = 0;
			progress?.(plan, done);
			const summaries = await mapLimited(plan.batches, this.#desk.concurrency(), async (batch) => {
				if (signal.aborted) return null;
				const summary = await this.#summarize(batch.prompt, signal);
				done += 1;
				progress?.(plan, done);
				if ("text" in summary) return summary;
				failures.push(summary);
				return null;
			});
			if (signal.aborted) {
				this.#desk.drop(plan);
				return { kind: "dropped", why: "aborted" };
			}
			return this.#desk.commit(plan, summaries, failures);
		} catch (error) {
			this.#desk.drop(plan);
			return { kind: "failed", failures: [{ message: error instanceof Error ? error.message : String(error) }] };
		}
	}

	async #summarize(prompt: string, signal: AbortSignal): Promise<Summary | SummaryFailure> {
		try {
			return await this.#desk.summarize(prompt, signal);
		} catch (error) {
			return { message: error instanceof Error ? error.message : String(error) };
		}
	}
}

/** Maps in order, `limit` at a time. */
async function mapLimited<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<R[]> {
	const results = new Array<R>(items.length);
	const queue = items.entries();
	const worker = async (): Promise<void> => {
		for (const [index, item] of queue) results[index] = await work(item);
	};
	await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, items.length)) }, worker));
	return results;
}

/** Whether `promise` settles within `ms`. */
async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<boolean>((resolve) => {
		timer = setTimeout(resolve, ms, false);
	});
	try {
		return await Promise.race([promise.then(() => true), late]);
	} finally {
		clearTimeout(timer);
	}
}
