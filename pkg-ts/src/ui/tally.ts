import { count } from "./format.ts";

/** A result, as an entry or the core tells of it. */
export interface CountedResult {
	ref?: string;
	/** Empty where it is not known which entry it is. */
	entryId: string;
}

interface CountedBatch<R> {
	outcome: string;
	results: readonly R[];
}

/** An epoch, as far as it is counted. */
export interface CountedEpoch<R = CountedResult, B = CountedBatch<R>> {
	reason: string;
	/** UTF-16 units. */
	savedUnits: number;
	batches: readonly B[];
	blocks: readonly { results: readonly R[] }[];
}

/** The results of some epochs by what became of them in the end, each once. */
interface Sorted<R, B> {
	/** Those the model gets in another form. */
	pruned: R[];
	/** Those of them that say the same as an earlier one and point there. */
	repeated: R[];
	/** Those a flush looked at and left, and nothing archived later; with the batch that says why. */
	left: { batch: B; result: R }[];
	/** Failed calls whose arguments were replaced. */
	purged: R[];
}

/** The figures of some epochs. */
export interface Tally {
	/** Results that the model gets in another form. */
	pruned: number;
	/** Those of them that say the same as an earlier one and point there: no summary was made for them. */
	repeated: number;
	/** Results that a flush looked at and left as they are. */
	left: number;
	/** Failed calls whose arguments were replaced. */
	purged: number;
	/** Whether a flush did nothing but take old thinking away. */
	thinking: boolean;
	/** By which what was taken away comes back. */
	refs: string[];
}

/** The word for a batch of repetitions. */
export const REPEATED = "skipped-deduped";

/** The word for a batch of failed calls. */
export const PURGED = "purged";

/** Outcomes after which the model gets results in another form. */
const PRUNED: readonly string[] = ["summarized", REPEATED, "spilled", "recovered", "archived"];

/** Outcomes after which everything is as it was. */
const LEFT: readonly string[] = ["skipped-trivial", "skipped-oversized"];

/** Whether a batch was looked at and left as it is. */
export function isLeft({ outcome }: { outcome: string }): boolean {
	return LEFT.includes(outcome);
}

/** Which results count as what: the one rule behind the transcript's line, the tree and the stats. */
export function sortResults<R extends CountedResult, B extends CountedBatch<R>>(
	epochs: readonly Pick<CountedEpoch<R, B>, "batches" | "blocks">[],
): Sorted<R, B> {
	const batches = epochs.flatMap((epoch) => epoch.batches);
	const blocks = epochs.flatMap((epoch) => epoch.blocks);
	// What a flush left may be archived by a block later, so the order is that of what counts more.
	const isNew = once();
	const of = (isWanted: (outcome: string) => boolean) =>
		batches.filter(({ outcome }) => isWanted(outcome)).flatMap(({ results }) => results);
	const formed = of((outcome) => PRUNED.includes(outcome) && outcome !== REPEATED).filter(isNew);
	const repeated = of((outcome) => outcome === REPEATED).filter(isNew);
	const inBlocks = blocks.flatMap(({ results }) => results).filter(isNew);
	const left = batches
		.filter(isLeft)
		.flatMap((batch) => batch.results.filter(isNew).map((result) => ({ batch, result })));
	const purged = of((outcome) => outcome === PURGED).filter(once());
	return { pruned: [...formed, ...repeated, ...inBlocks], repeated, left, purged };
}

/** Counts what epochs did. */
export function tally(epochs: readonly CountedEpoch[]): Tally {
	const { pruned, repeated, left, purged } = sortResults(epochs);
	return {
		pruned: pruned.length,
		repeated: repeated.length,
		left: left.length,
		purged: purged.length,
		thinking: epochs.some(isThinking),
		refs: [...new Set([...pruned, ...purged].flatMap(({ ref }) => ref ?? []))],
	};
}

/** Whether an epoch took something away. */
export function isChanging(epoch: CountedEpoch): boolean {
	return epoch.blocks.length > 0 || changesResults(epoch) || isThinking(epoch);
}

function changesResults({ batches }: CountedEpoch): boolean {
	return batches.some(({ outcome }) => PRUNED.includes(outcome) || outcome === PURGED);
}

/** Thinking is the one thing a flush takes away that stands in no batch and no block. */
function isThinking(epoch: CountedEpoch): boolean {
	return epoch.reason === "flush" && epoch.savedUnits > 0 && epoch.blocks.length === 0 && !changesResults(epoch);
}

/** `5 results (1 repeated), arguments of 2 failed calls, old thinking`; empty where nothing of it was taken away. */
export function prunedWords({ pruned, repeated, purged, thinking }: Omit<Tally, "left" | "refs">): string {
	return [
		...(pruned > 0 ? [resultsWords(pruned, repeated)] : []),
		...(purged > 0 ? [`arguments of ${count(purged, "failed call")}`] : []),
		...(thinking ? ["old thinking"] : []),
	].join(", ");
}

/** `5 results`, `2 repeated results`, `5 results (1 repeated)`. */
function resultsWords(pruned: number, repeated: number): string {
	if (repeated === pruned) return count(repeated, "repeated result");
	return `${count(pruned, "result")}${repeated > 0 ? ` (${repeated} repeated)` : ""}`;
}

/** Tells of each entry once; a result whose entry is not known is one of its own. */
function once(): (result: CountedResult) => boolean {
	const seen = new Set<string>();
	return ({ entryId }) => {
		if (seen.has(entryId)) return false;
		if (entryId !== "") seen.add(entryId);
		return true;
	};
}
