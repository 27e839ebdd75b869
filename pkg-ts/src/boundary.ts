/**
 * The wasm core as the extension sees it: the generated types, under the names used here.
 *
 * Types only, so that everything but the bundle's entry runs in a test without a build.
 */
import type * as wasm from "../wasm/decant.js";

export type {
	BudgetCheck,
	Captured,
	Config,
	EpochEntry,
	FlushOutcome,
	FlushPlan,
	QueryAnswer,
	Report,
	SummaryUsage,
} from "../wasm/decant.js";

/** A session entry, as pi's `getEntry()` returns it. */
export type Entry = object;

/** Gives the text behind an entry id; `undefined` where it is gone or another extension has redacted it. */
export type Lookup = (entryId: string) => Entry | undefined;

/** A batch's summary as the model wrote it; an empty text is a call that was paid for and gave nothing usable. */
export interface Summary {
	text: string;
	usage?: wasm.SummaryUsage;
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
export type CoreSession = Omit<wasm.Session, typeof Symbol.dispose>;

/** An instantiated core. */
export interface CoreModule {
	readSettings(raw: unknown): wasm.ConfigReport;
	settingsSchema(): wasm.SettingRow[];
	/** `cwd` is the folder that relative paths stand under. */
	Session: new (
		config: unknown,
		cwd?: string,
	) => CoreSession;
}

/** The core's refusal to commit a plan it has forgotten, since the branch was folded anew meanwhile. */
export const UNKNOWN_PLAN = "unknown-flush-plan";
