import type { EpochReport } from "../../wasm/decant.js";

/** One epoch of the branch. */
export type EpochNode = EpochReport;

/** One batch of an epoch, with the summary that stands for it where there is one. */
export type BatchNode = EpochNode["batches"][number];

/** A finished task that one text stands for. */
export type BlockNode = EpochNode["blocks"][number];

/**
 * A summary without the lines at its end that tell the model how to get originals back: a person has the tree for that.
 */
export function summaryForPeople(text: string): string {
	return text.replace(/\n+---\n\*\*Summarized tool refs\*\*[^\n]*\n[^\n]*\s*$/, "").trim();
}

/** One tool result an epoch speaks of. */
export type ResultNode = BatchNode["results"][number];
