//! The TypeScript types of what crosses, beside the structs of `dto` that they mirror.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** All settings of `contextPrune`, each valid. */
export interface Config {
	enabled: boolean;
	showPruneStatusLine: boolean;
	/** `default` or `provider/model`. */
	summarizerModel: string;
	summarizerThinking: "default" | "off" | "minimal" | "low" | "medium" | "high" | "xhigh";
	pruneOn: "agent-message" | "on-demand";
	flush: "background" | "blocking";
	/** ms */
	flushWaitMs: number;
	/** UTF-16 units */
	minBatchChars: number;
	/** ms; 0: never */
	summarizerIdleTimeoutMs: number;
	/** ms; 0: never */
	summarizerMaxTimeoutMs: number;
	quietOversizedSkips: boolean;
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
}

export type BatchOutcome = "summarized" | "skipped-trivial" | "skipped-oversized";

export interface FlushPlan {
	id: number;
	leafId: string;
	/** Batches to summarize, oldest first; `summaries` of commitFlush are in this order. */
	batches: { prompt: string; turn: number; rawUnits: number; calls: { entryId: string; toolName: string; ref: string }[] }[];
	skipped: { turn: number; outcome: BatchOutcome; calls: number }[];
}

export interface FlushOutcome {
	/** The one entry to append; missing where there is nothing to write, and `reason` says why. */
	entry?: { customType: string; data: object };
	reason?: "stale" | "failed";
	/** Batches and calls that were summarized. */
	summarized: number;
	calls: number;
	/** UTF-16 units that the next request is shorter by. */
	savedUnits: number;
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
}
"#;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(typescript_type = "ConfigReport")]
    pub type JsConfigReport;
    #[wasm_bindgen(typescript_type = "Captured")]
    pub type JsCaptured;
    #[wasm_bindgen(typescript_type = "FlushPlan")]
    pub type JsFlushPlan;
    #[wasm_bindgen(typescript_type = "FlushOutcome")]
    pub type JsFlushOutcome;
    #[wasm_bindgen(typescript_type = "QueryAnswer")]
    pub type JsQueryAnswer;
    #[wasm_bindgen(typescript_type = "Report")]
    pub type JsReport;
}
