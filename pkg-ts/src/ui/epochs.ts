/** One tool result an epoch speaks of. */
export interface ResultNode {
	/** Its short name, by which the model gets it back; absent where it has none. */
	ref?: string;
	entryId: string;
	tool: string;
	/** The file it is about, where its arguments name one. */
	path?: string;
	/** UTF-16 units of its text. */
	units: number;
	/** The file its text was written to. */
	spillPath?: string;
}

/** One batch of an epoch. */
export interface BatchNode {
	/** Ordinal of the assistant message on the branch, from 0. */
	turn: number;
	outcome: string;
	/** The summary that stands for it. */
	text?: string;
	/** UTF-16 units of its results. */
	rawUnits: number;
	results: readonly ResultNode[];
}

/** One epoch of the branch, as the core's `tree()` gives it. */
export interface EpochNode {
	reason: string;
	trigger: string;
	/** ms since 1970. */
	timestamp: number;
	/** UTF-16 units each later request is shorter by. */
	savedUnits: number;
	batches: readonly BatchNode[];
}
