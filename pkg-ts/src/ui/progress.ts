import type { FlushPlan } from "../boundary.ts";

/** Where one batch of a running flush stands. Sizes are UTF-16 units. */
export type BatchState =
	/** Waits for its turn. */
	| { kind: "pending" }
	/** Its summary is being written; `units` of it so far, where that is known. */
	| { kind: "running"; units?: number }
	/** Its summary is there. */
	| { kind: "done"; units: number }
	/** Left as it is: the reason, as in "the summary would be longer". */
	| { kind: "skipped"; why: string }
	/** Says the same as an earlier output: pruned without a summary. */
	| { kind: "repeated" }
	/** No summary came back; the next flush tries again. */
	| { kind: "failed"; message: string };

/**
 * Whoever watches a flush; the flush calls it, in this order. Nothing here may throw or take long: the flush does not
 * wait for its watcher.
 */
export interface ProgressView {
	/**
	 * The plan is made: a row for each of `plan.batches`, then for each of `plan.fusions`, all pending. Not called where
	 * nothing is due.
	 */
	planned(plan: FlushPlan): void;
	/** Row `index` changed. */
	batch(index: number, state: BatchState): void;
}

/** How a flush that somebody asked for is watched and ended. */
export interface FlushWatch {
	progress?: ProgressView;
	/** Aborted when the user takes it back: nothing is written, the next flush does it again. */
	signal?: AbortSignal;
}
