import type { EpochReport } from "../../wasm/decant.js";

/** One epoch of the branch. */
export type EpochNode = EpochReport;

/** One batch of an epoch, with the summary that stands for it where there is one. */
export type BatchNode = EpochNode["batches"][number];

/** One tool result an epoch speaks of. */
export type ResultNode = BatchNode["results"][number];
