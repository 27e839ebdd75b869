import { count } from "./format.ts";

/** A batch, as an entry or the core tells of it. */
export interface Counted {
	outcome: string;
	results: readonly { ref?: string }[];
}

/** What became of the results of some batches. */
export interface Tally {
	/** Results that the model gets in another form. */
	pruned: number;
	/** Those of them that say the same as an earlier one and point there: no summary was made for them. */
	repeated: number;
	/** Results that a flush looked at and left as they are. */
	left: number;
	/** Of the pruned ones. */
	refs: string[];
}

/** The word for a batch of repetitions. */
export const REPEATED = "skipped-deduped";

/** Outcomes after which the model gets results in another form. */
const PRUNED: readonly string[] = ["summarized", REPEATED, "spilled", "recovered", "archived"];

/** Outcomes after which everything is as it was. */
const LEFT: readonly string[] = ["skipped-trivial", "skipped-oversized"];

/** Whether a batch's results have another form now. */
export function isPruned({ outcome }: Pick<Counted, "outcome">): boolean {
	return PRUNED.includes(outcome);
}

/** Whether a batch was looked at and left as it is. */
export function isLeft({ outcome }: Pick<Counted, "outcome">): boolean {
	return LEFT.includes(outcome);
}

/** Counts results: the one count behind the transcript's line, the tree and the stats. */
export function tally(batches: readonly Counted[]): Tally {
	const sum = (some: readonly Counted[]) => some.reduce((total, { results }) => total + results.length, 0);
	const pruned = batches.filter(isPruned);
	return {
		pruned: sum(pruned),
		repeated: sum(pruned.filter(({ outcome }) => outcome === REPEATED)),
		left: sum(batches.filter(isLeft)),
		refs: pruned.flatMap(({ results }) => results.flatMap(({ ref }) => (ref === undefined ? [] : [ref]))),
	};
}

/** `5 results`, `2 repeated results`, `5 results (1 repeated)`. */
export function resultsWords({ pruned, repeated }: Pick<Tally, "pruned" | "repeated">): string {
	if (repeated === pruned && repeated > 0) return count(repeated, "repeated result");
	return `${count(pruned, "result")}${repeated > 0 ? ` (${repeated} repeated)` : ""}`;
}
