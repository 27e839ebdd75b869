/**
 * The wasm core as the extension sees it: the generated types, under the names used here.
 *
 * Types only, so that everything but the bundle's entry runs in a test without a build.
 */
import type * as wasm from "../wasm/decant.js";

export type { Config, FlushOutcome, FlushPlan, QueryAnswer, Report } from "../wasm/decant.js";

/** A session entry, as pi's `getEntry()` returns it. */
export type Entry = object;

/** Gives the text behind an entry id; `undefined` where it is gone or another extension has redacted it. */
export type Lookup = (entryId: string) => Entry | undefined;

/** A batch's summary as the model wrote it. */
export interface Summary {
	text: string;
	usage?: wasm.SummaryUsage;
}

/** One session's ledger inside the core. */
export type CoreSession = Omit<wasm.Session, typeof Symbol.dispose>;

/** An instantiated core. */
export interface CoreModule {
	readSettings(raw: unknown): wasm.ConfigReport;
	Session: new (config: unknown) => CoreSession;
}

/** The core's refusal to commit a plan it has forgotten, since the branch was folded anew meanwhile. */
export const UNKNOWN_PLAN = "unknown-flush-plan";
