/**
 * The wasm core as the extension sees it. The shapes are those of the generated `wasm/decant.d.ts`; they are written
 * down here so that everything but the bundle's entry can be checked and tested without a build.
 */

/** A session entry, as pi's `getEntry()` returns it. */
export type Entry = object;

/** Gives the text behind an entry id; `undefined` where it is gone or another extension has redacted it. */
export type Lookup = (entryId: string) => Entry | undefined;

/** The keys of `contextPrune` the extension itself acts on; the core knows all of them and their defaults. */
export interface Config {
	enabled: boolean;
	showPruneStatusLine: boolean;
	/** `default` (the session's model) or `provider/id`. */
	summarizerModel: string;
	/** `default` sends no option. */
	summarizerThinking: string;
	pruneOn: "agent-message" | "on-demand";
	flush: "background" | "blocking";
	/** How long a shutdown waits for a flush in flight, in ms. */
	flushWaitMs: number;
	/** Ends a summarizer call when nothing arrived for this long, in ms; 0 = never. */
	summarizerIdleTimeoutMs: number;
	/** Ends a summarizer call after this long in any case, in ms; 0 = never. */
	summarizerMaxTimeoutMs: number;
	[key: string]: unknown;
}

export interface SettingsReading {
	config: Config;
	/** What was wrong, and what is used instead. */
	problems: { key: string; message: string }[];
}

/** A flush as it is due: prompts to answer, and what needs no model call. */
export interface FlushPlan {
	id: number;
	/** The leaf the plan was made on. */
	leafId: string;
	batches: {
		prompt: string;
		turn: number;
		calls: { entryId: string; toolName: string; ref: string }[];
		/** UTF-16 units of the results. */
		rawUnits: number;
	}[];
	skipped: { turn: number; outcome: string; calls: number; rawUnits: number }[];
}

/** A batch's summary as the model wrote it. */
export interface Summary {
	text: string;
	/** Tokens; cost in USD. */
	usage?: { input: number; output: number; cost: number };
}

export interface FlushOutcome {
	/** The one entry to append. Absent: nothing to write, `reason` says why. */
	entry?: { customType: string; data: object };
	/** Batches. */
	summarized: number;
	calls: number;
	savedUnits: number;
	notes: { turn: number; outcome: string; calls: number; rawUnits: number; summaryUnits: number }[];
	reason?: "stale" | "empty" | "failed";
}

export interface CaptureReport {
	calls: number;
	pendingBatches: number;
	pendingCalls: number;
	pendingUnits: number;
}

export interface QueryAnswer {
	content: ({ type: "text"; text: string } | { type: "image"; data: string; mimeType: string })[];
	details: { results: { id: string; ref?: string; entryId?: string; found: boolean }[] };
	isError: boolean;
}

export interface Report {
	enabled: boolean;
	refs: number;
	epochs: number;
	pendingBatches: number;
	pendingCalls: number;
	pendingUnits: number;
	stats: { totalInputTokens: number; totalOutputTokens: number; totalCost: number; callCount: number };
	/** Of the last render that changed something, in UTF-16 units of JSON; 0 before that. */
	sizes: { before: number; after: number };
	shownStubs: number;
}

/** One session's ledger inside the core. */
export interface CoreSession {
	free(): void;
	setConfig(config: unknown): void;
	loadBranch(entries: readonly Entry[]): void;
	appendEntries(entries: readonly Entry[]): void;
	readonly leafId: string | undefined;
	applyContext(
		messages: readonly object[],
		env?: { provider?: string; api?: string; model?: string },
	): object[] | undefined;
	captureTurn(turn: { assistantEntryId: string; resultEntryIds: string[] }, lookup: Lookup): CaptureReport;
	planFlush(request: { trigger: string }, lookup: Lookup): FlushPlan | undefined;
	commitFlush(planId: number, summaries: (Summary | null)[]): FlushOutcome;
	dropFlush(planId: number): void;
	query(ids: string[], lookup: Lookup, page?: { offset?: number; limit?: number }): QueryAnswer;
	report(): Report;
}

/** An instantiated core. */
export interface CoreModule {
	readSettings(raw: unknown): SettingsReading;
	Session: new (config: unknown) => CoreSession;
}
