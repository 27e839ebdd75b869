//! The TypeScript types of what crosses, beside the structs of `dto` that they mirror.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** All settings of `contextPrune`, each valid; `settingsSchema()` says what each means. */
export interface Config {
	enabled: boolean;
	showPruneStatusLine: boolean;
	pruneOn: "agent-message" | "on-demand";
	flush: "background" | "blocking";
	/** ms */
	flushWaitMs: number;
	batchingMode: "turn" | "agent-message";
	/** `default` or `provider/model`. */
	summarizerModel: string;
	summarizerThinking: "default" | "off" | "minimal" | "low" | "medium" | "high" | "xhigh";
	summarizerConcurrency: number;
	/** UTF-16 units */
	summarizerMaxCharsPerResult: number;
	/** ms; 0: never */
	summarizerIdleTimeoutMs: number;
	/** ms; 0: never */
	summarizerMaxTimeoutMs: number;
	/** UTF-16 units */
	minBatchChars: number;
	dedupByContentHash: boolean;
	quietOversizedSkips: boolean;
	/** prompts */
	recoveryGraceTurns: number;
	protectedTools: string[];
	protectedPaths: string[];
	/** UTF-16 units; null: never */
	spillThreshold: number | null;
	/** bytes of UTF-8 */
	spillPreviewBytes: number;
	/** share of the window */
	autoBudgetThreshold: number | null;
	/** share of the window */
	budgetTurnDelta: number | null;
	/** tokens */
	budgetCeilingTokens: number | null;
	chainCompression: {
		enabled: boolean;
		/** prompts */
		rollingWindow: number;
		/** turns */
		keepOpenTurns: number;
		stripFinalAssistantThinking: boolean;
		fuseRangeSummary: boolean;
		/** share of the window */
		maxShare: number;
	};
	/** `minArgChars` in UTF-16 units */
	purgeErrors: { enabled: boolean; cooldownTurns: number; minArgChars: number; timing: "epoch" | "live" };
	thinkingStrip: {
		enabled: boolean;
		keepLastTurns: number;
		policy: "provider" | "always";
		boundary: "epoch" | "live";
	};
}

/** One setting: what it accepts and what it means, in the order of display. */
export interface SettingRow {
	/** Dots go into nested objects. */
	key: string;
	kind: "boolean" | "count" | "fraction" | "choice" | "list" | "model";
	default: unknown;
	/** null is accepted and means none or off. */
	nullable: boolean;
	choices?: string[];
	/** What the settings overlay steps through. */
	presets?: number[];
	help: string;
	/** The `/pruner` subcommand that sets it. */
	command?: string;
}

export interface ConfigReport {
	config: Config;
	/** What was not accepted, and what is used instead. */
	problems: { key: string; message: string }[];
}

/** Tokens and dollars of one summarizer call. */
export interface SummaryUsage {
	input: number;
	output: number;
	cost: number;
}

/** What a turn added to the work that waits for a flush, and how much that is now. */
export interface Captured {
	/** Results of this turn that wait. */
	calls: number;
	pendingBatches: number;
	pendingCalls: number;
	/** UTF-16 units of text. */
	pendingUnits: number;
	/** Results to write into files now, before they are sent; then `commitSpill`. */
	spill: { entryId: string; fileName: string }[];
}

/** The data of an entry to append. */
export interface EpochEntry {
	customType: string;
	data: object;
}

/** The answer of `checkBudget`. */
export interface BudgetCheck {
	due?: "budget" | "delta";
	/** The figure that was used. */
	tokens: number;
	source: "reported" | "estimated";
}

export type BatchOutcome =
	| "summarized"
	| "skipped-trivial"
	| "skipped-oversized"
	| "skipped-deduped"
	| "spilled"
	| "recovered"
	/** The original's, whatever it did with them. */
	| "archived"
	/** A failed call: its arguments were replaced, its result stays. */
	| "purged";

/** One epoch of the branch, as `/pruner tree` shows it. */
export interface EpochReport {
	/** As in the entry; `pi-condense` for all that the original archived. */
	reason: string;
	trigger: string;
	/** ms since 1970; 0 where it is not known. */
	timestamp: number;
	/** UTF-16 units that the next request was shorter by. */
	savedUnits: number;
	batches: {
		turn: number;
		outcome: BatchOutcome;
		text?: string;
		rawUnits: number;
		/** `entryId` is empty where a record of the original fits no entry of the branch: only `query` has its text. */
		results: { ref?: string; entryId: string; tool: string; path?: string; units: number; same?: string; spillPath?: string }[];
	}[];
	blocks: {
		id: string;
		body: string;
		refs: string[];
		merged: string[];
		/** Results that no flush had archived before. */
		results: EpochReport["batches"][number]["results"];
	}[];
}

export interface FlushPlan {
	id: number;
	leafId: string;
	/** Batches to summarize, oldest first; `summaries` of commitFlush are in this order. */
	batches: { prompt: string; turn: number; rawUnits: number; calls: { entryId: string; toolName: string; ref: string }[] }[];
	skipped: { turn: number; outcome: BatchOutcome; calls: number }[];
	/** Texts to make one of, for blocks; `fusions` of commitFlush are in this order. */
	fusions: { block: string; prompt: string }[];
}

export interface FlushOutcome {
	/** The one entry to append; missing where there is nothing to write, and `reason` says why. */
	entry?: EpochEntry;
	reason?: "stale" | "failed" | "empty";
	/** Batches and calls that were summarized. */
	summarized: number;
	calls: number;
	/** UTF-16 units that the next request is shorter by. */
	savedUnits: number;
	/** Chains that became blocks, `b1`. */
	blocks: string[];
	notes: { turn: number; outcome: BatchOutcome; calls: number; rawUnits: number; summaryUnits: number }[];
}

export interface QueryAnswer {
	content: ({ type: "text"; text: string } | { type: "image"; data: string; mimeType: string })[];
	details: { results: { id: string; ref?: string; entryId?: string; found: boolean }[] };
	/** Nothing that was asked for was found. */
	isError: boolean;
}

export interface Report {
	enabled: boolean;
	/** Archived results. */
	refs: number;
	epochs: number;
	pendingBatches: number;
	pendingCalls: number;
	/** UTF-16 units of text. */
	pendingUnits: number;
	stats: { totalInputTokens: number; totalOutputTokens: number; totalCost: number; callCount: number };
	/** Of the last request, in UTF-16 units: as pi has it and as it went out. Equal where nothing changed. */
	sizes: { before: number; after: number };
	/** Results that stood as stubs in the last request. */
	shownStubs: number;
	/** Results left out of the last request since nothing in it called them. */
	droppedResults: number;
	/** Blocks that stood in the last request, and those whose bounds were not in it. */
	shownBlocks: number;
	unresolvedBlocks: number;
	/** Tokens of thinking since the last reply without calls, the largest prompt's share of the context in percent, tokens that wait for a flush. */
	metrics: { openThinkingTokens: number; largestChainPercent: number; gapTokens: number };
	/** Estimate of what the branch puts into the next request, in tokens. */
	contextTokens: number;
	/** Protected tools and patterns that met no call of this branch. */
	protectedUnmatched: string[];
}
"#;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(typescript_type = "ConfigReport")]
    pub type JsConfigReport;
    #[wasm_bindgen(typescript_type = "Captured")]
    pub type JsCaptured;
    #[wasm_bindgen(typescript_type = "SettingRow[]")]
    pub type JsSettingRows;
    #[wasm_bindgen(typescript_type = "EpochEntry")]
    pub type JsEpochEntry;
    #[wasm_bindgen(typescript_type = "BudgetCheck")]
    pub type JsBudgetCheck;
    #[wasm_bindgen(typescript_type = "EpochReport[]")]
    pub type JsEpochReports;
    #[wasm_bindgen(typescript_type = "FlushPlan")]
    pub type JsFlushPlan;
    #[wasm_bindgen(typescript_type = "FlushOutcome")]
    pub type JsFlushOutcome;
    #[wasm_bindgen(typescript_type = "QueryAnswer")]
    pub type JsQueryAnswer;
    #[wasm_bindgen(typescript_type = "Report")]
    pub type JsReport;
}
