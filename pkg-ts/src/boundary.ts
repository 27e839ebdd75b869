/**
 * The wasm core as the extension sees it: the generated types, under the names used here.
 *
 * Types only, so that everything but the bundle's entry runs in a test without a build.
 */
import type * as wasm from "../wasm/decant.js";
import type { SettingRow } from "./settings/schema.ts";
import type { EpochNode } from "./ui/epochs.ts";

export type { FlushOutcome, FlushPlan, QueryAnswer, Report, SummaryUsage } from "../wasm/decant.js";

/** All settings, each valid. */
export type Config = wasm.Config & {
	/** Share of the context window from which on a turn's end starts a flush; null: never. */
	autoBudgetThreshold: number | null;
	/** Share of the context window a single turn must add to start one; null: never. */
	budgetTurnDelta: number | null;
	/** Summarizer calls at once. */
	summarizerConcurrency: number;
};

/** A session entry, as pi's `getEntry()` returns it. */
export type Entry = object;

/** Gives the text behind an entry id; `undefined` where it is gone or another extension has redacted it. */
export type Lookup = (entryId: string) => Entry | undefined;

/** A batch's summary as the model wrote it; an empty text is a call that was paid for and gave nothing usable. */
export interface Summary {
	text: string;
	usage?: wasm.SummaryUsage;
}

/** What a turn added to the pending work, and which of its results are too large to stay in context. */
export type Captured = wasm.Captured & { spill?: { entryId: string; fileName: string }[] };

/** Data of an entry of ours, to be appended as it is. */
export interface EntryDraft {
	customType: string;
	data: object;
}

/** A budget trigger's verdict. */
export interface BudgetCheck {
	due?: "budget" | "delta";
	tokens: number;
	source: "reported" | "estimated";
}

/** What pi says of the context; every field may be missing, null, zero or absurd. */
export interface ReportedUsage {
	tokens?: number | null;
	contextWindow?: number;
}

/** A result whose text stands in a file. */
export interface SpilledFile {
	entryId: string;
	path: string;
	bytes: number;
}

/** One session's ledger inside the core. */
export interface CoreSession extends Omit<wasm.Session, typeof Symbol.dispose | "captureTurn"> {
	captureTurn(turn: { assistantEntryId: string; resultEntryIds: string[] }, lookup: Lookup): Captured;
	commitSpill(files: SpilledFile[], lookup: Lookup): EntryDraft | undefined;
	checkBudget(usage: ReportedUsage): BudgetCheck;
	markEpoch(reason: string): EntryDraft | undefined;
	tree(): EpochNode[];
}

/** An instantiated core. */
export interface CoreModule {
	readSettings(raw: unknown): { config: Config; problems: wasm.ConfigReport["problems"] };
	settingsSchema(): SettingRow[];
	Session: new (config: unknown) => CoreSession;
}

/** The core's refusal to commit a plan it has forgotten, since the branch was folded anew meanwhile. */
export const UNKNOWN_PLAN = "unknown-flush-plan";
