/** Why no flush can come, whatever waits. */
export type PauseKind = "held" | "shared" | "broken";

/** The same in words. */
export interface Pause {
	/** For the status line. */
	short: string;
	/** A sentence with what to do about it. */
	why: string;
}

const PAUSES: Readonly<Record<PauseKind, Pause>> = {
	held: {
		short: "no context_tree_query",
		why: "context_tree_query is not among the active tools, so the model could not get originals back. Nothing is pruned; add it to --tools.",
	},
	shared: {
		short: "another pi writes here",
		why: "another pi is writing to this session file, and neither sees what the other adds. Nothing more is pruned here; close one of them, then /reload.",
	},
	broken: {
		short: "internal errors",
		why: "too many internal errors; it leaves this session alone until /reload.",
	},
};

/** The words for a kind of pause. */
export function pauseOf(kind: PauseKind): Pause {
	return PAUSES[kind];
}
