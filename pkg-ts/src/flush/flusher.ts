import type { FlushOutcome, FlushPlan, Summary, SummaryUsage } from "../boundary.ts";
import type { BatchState, FlushWatch, ProgressView } from "../ui/progress.ts";

/** Why a flush was started; written into its epoch. */
export type FlushTrigger = "agent-message" | "now" | "compact" | "budget" | "delta" | "rearmed";

/** A summarizer call that gave nothing usable. */
export interface SummaryFailure {
	message: string;
	/** What it cost all the same. */
	usage?: SummaryUsage;
}

/** How a flush ended. */
export type FlushEnd =
	/** Nothing was pending, or nothing of it was worth a change. */
	| { kind: "nothing" }
	/** Not started: the model could not get originals back. */
	| { kind: "held" }
	/** Not started, or not written: another process writes to the session file. */
	| { kind: "shared" }
	/** Another flush is under way. */
	| { kind: "busy" }
	/** The epoch is in the session; `failures` are batches left for the next flush. */
	| { kind: "committed"; outcome: FlushOutcome; failures: SummaryFailure[]; models?: string[] }
	/** Not one summary came back. */
	| { kind: "failed"; failures: SummaryFailure[] }
	/** The branch moved, or pi is closing; to be done again. */
	| { kind: "dropped"; why: "moved" | "aborted" | "core" }
	/** pi could not write the entry. */
	| { kind: "unwritten"; message: string };

/** What a commit comes to. */
export type CommitEnd = Extract<
	FlushEnd,
	{ kind: "committed" | "failed" | "nothing" | "dropped" | "unwritten" | "shared" }
>;

/** What came back for a plan, each in its order; `null`: nothing. */
export interface Answers {
	/** For `plan.batches`. */
	summaries: (Summary | null)[];
	/** For `plan.fusions`. */
	fusions: (Summary | null)[];
}

/** What a flush needs of the session; all but `summarize` return within the tick. */
export interface FlushDesk {
	plan(trigger: FlushTrigger): FlushPlan | undefined;
	/** Asks the model; `onText` is told the UTF-16 units of the answer so far. */
	summarize(
		prompt: string,
		signal: AbortSignal,
		onText: (units: number) => void,
	): Promise<(Summary & { model?: string }) | SummaryFailure>;
	/** Checks that the plan still fits the branch and writes its epoch, all in one tick. */
	commit(plan: FlushPlan, answers: Answers, failures: SummaryFailure[]): CommitEnd;
	drop(plan: FlushPlan): void;
	/** Batches summarized at once. */
	concurrency(): number;
}

/** pi closes: what is there is committed, what is not is left for the next session. */
const CLOSING = "closing";
/** The branch the flush was planned on was left. */
const MOVED = "moved";

/** A summarizer that does not react to its signal is left behind this long after an abort, in ms. */
const LEFT_BEHIND_MS = 250;

/**
 * One flush at a time, from plan to commit.
 *
 * The agent is not held up: `start` returns a promise nobody has to await. What is in flight at shutdown is settled by
 * `settle`, which pi awaits.
 */
export class Flusher {
	readonly #desk: FlushDesk;
	#running: { end: Promise<FlushEnd>; controller: AbortController; plan?: FlushPlan } | undefined;
	#closed = false;

	constructor(desk: FlushDesk) {
		this.#desk = desk;
	}

	/** Whether a flush is under way. */
	get busy(): boolean {
		return this.#running !== undefined;
	}

	/** The plan of the flush under way. */
	get plan(): FlushPlan | undefined {
		return this.#running?.plan;
	}

	/** Starts a flush unless one is under way. Never rejects. */
	start(trigger: FlushTrigger, watch: FlushWatch = {}): Promise<FlushEnd> {
		if (this.#closed) return Promise.resolve({ kind: "dropped", why: "aborted" });
		if (this.#running) return Promise.resolve({ kind: "busy" });
		const plan = this.#desk.plan(trigger);
		if (!plan) return Promise.resolve({ kind: "nothing" });
		const controller = new AbortController();
		const signal = watch.signal ? AbortSignal.any([controller.signal, watch.signal]) : controller.signal;
		const end = this.#run(plan, signal, watch.progress).finally(() => {
			this.#running = undefined;
		});
		this.#running = { end, controller, plan };
		return end;
	}

	/** Ends the flush in flight; its results stay in context. */
	abort(why: "aborted" | "moved" = "aborted"): void {
		this.#running?.controller.abort(why === "moved" ? MOVED : undefined);
	}

	/**
	 * Waits for the flush in flight, up to `waitMs`, then commits what of it is there; starts none any more.
	 */
	async settle(waitMs: number): Promise<void> {
		this.#closed = true;
		const running = this.#running;
		if (!running) return;
		if (await within(running.end, waitMs)) return;
		running.controller.abort(CLOSING);
		await within(running.end, LEFT_BEHIND_MS);
	}

	async #run(plan: FlushPlan, signal: AbortSignal, view?: ProgressView): Promise<FlushEnd> {
		try {
			const rows = new Rows(plan, view);
			const failures: SummaryFailure[] = [];
			const models = new Set<string>();
			const prompts = [...plan.batches, ...plan.fusions].map(({ prompt }) => prompt);
			const answers = await mapLimited(prompts, this.#desk.concurrency(), async (prompt, index) => {
				if (signal.aborted) return null;
				rows.show(index, { kind: "running" });
				const answer = await this.#summarize(prompt, signal, (units) => rows.show(index, { kind: "running", units }));
				if ("text" in answer) {
					const { model, ...summary } = answer;
					if (model) models.add(model);
					rows.show(index, { kind: "done", units: summary.text.length });
					return summary;
				}
				rows.show(index, { kind: "failed", message: answer.message });
				// A block does without its fusion: the summaries it would be made of are there.
				if (index < plan.batches.length) failures.push(answer);
				// An empty text leaves things as they are, and what it cost is accounted for.
				return answer.usage ? { text: "", usage: answer.usage } : null;
			});
			const partial = signal.reason === CLOSING && answers.some((answer) => answer?.text);
			if (signal.aborted && !partial) {
				this.#desk.drop(plan);
				return { kind: "dropped", why: signal.reason === MOVED ? "moved" : "aborted" };
			}
			const summaries = answers.slice(0, plan.batches.length);
			const fusions = answers.slice(plan.batches.length);
			const end = this.#desk.commit(plan, { summaries, fusions }, failures);
			if (end.kind !== "committed") return end;
			rows.committed(end.outcome);
			return { ...end, models: [...models] };
		} catch (error) {
			this.#desk.drop(plan);
			return { kind: "failed", failures: [{ message: messageOf(error) }] };
		}
	}

	async #summarize(
		prompt: string,
		signal: AbortSignal,
		onText: (units: number) => void,
	): Promise<(Summary & { model?: string }) | SummaryFailure> {
		try {
			return await this.#desk.summarize(prompt, signal, onText);
		} catch (error) {
			return { message: messageOf(error) };
		}
	}
}

/** The rows of whoever watches. */
class Rows {
	readonly #plan: FlushPlan;
	#view: ProgressView | undefined;

	constructor(plan: FlushPlan, view: ProgressView | undefined) {
		this.#plan = plan;
		this.#view = view;
		this.#tell((watcher) => watcher.planned(plan));
	}

	/** Beyond the batches come the fusions. */
	show(index: number, state: BatchState): void {
		this.#tell((watcher) => watcher.batch(index, state));
	}

	/** Summaries that turned out longer than what they stand for were not used. */
	committed(outcome: FlushOutcome): void {
		for (const note of outcome.notes) {
			if (note.outcome !== "skipped-oversized") continue;
			const index = this.#plan.batches.findIndex(({ turn }) => turn === note.turn);
			if (index >= 0) this.show(index, { kind: "skipped", why: "the summary would be longer" });
		}
	}

	/** A watcher that throws is not told any more. */
	#tell(what: (view: ProgressView) => void): void {
		try {
			if (this.#view) what(this.#view);
		} catch {
			this.#view = undefined;
		}
	}
}

/** Maps in order, `limit` at a time. */
async function mapLimited<T, R>(
	items: readonly T[],
	limit: number,
	work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
	const results = new Array<R>(items.length);
	const queue = items.entries();
	const worker = async (): Promise<void> => {
		for (const [index, item] of queue) results[index] = await work(item, index);
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

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
