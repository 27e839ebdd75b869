import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import {
	type Config,
	type CoreSession,
	type FlushOutcome,
	type FlushPlan,
	type Summary,
	UNKNOWN_PLAN,
} from "../boundary.ts";
import { type Core, codeOf } from "../core.ts";
import type { SessionView } from "../host.ts";
import { branchLookup } from "../session/lookup.ts";
import { isOnBranch, sync } from "../session/sync.ts";
import { writeEntry } from "../session/write.ts";
import type { CommitEnd, FlushDesk, SummaryFailure } from "./flusher.ts";

/** Batches summarized at once. */
const CONCURRENCY = 4;

/** What the desk works with. Getters, since pi's contexts go stale and settings change. */
export interface DeskParts {
	pi: Pick<ExtensionAPI, "appendEntry">;
	core: Core;
	view: () => SessionView | undefined;
	config: () => Config;
	summarize: FlushDesk["summarize"];
}

/** The flush's desk over a real session and a real core. */
export function flushDesk(parts: DeskParts): FlushDesk {
	const { core } = parts;
	return {
		summarize: parts.summarize,
		concurrency: () => CONCURRENCY,
		plan: (trigger) => {
			const view = parts.view();
			if (!view || !parts.config().enabled) return undefined;
			return core.use("planning a flush", undefined, (session) => {
				sync(session, view);
				return session.planFlush(trigger, branchLookup(view));
			});
		},
		drop: (plan) => dropPlan(core, plan),
		// Nothing here may await: what is checked must still hold when the line is written.
		commit: (plan, summaries, failures) => {
			const view = parts.view();
			if (!view || !parts.config().enabled || !isOnBranchSafely(plan.leafId, view)) {
				dropPlan(core, plan);
				return { kind: "dropped", why: "moved" };
			}
			return commit(parts, view, plan, summaries, failures);
		},
	};
}

function commit(
	{ pi, core }: DeskParts,
	view: SessionView,
	plan: FlushPlan,
	summaries: (Summary | null)[],
	failures: SummaryFailure[],
): CommitEnd {
	const outcome = core.use("committing a flush", undefined, (session) => {
		// The core drops results that a compaction or an edit took out of the projection since the plan was made.
		sync(session, view);
		return commitPlan(session, plan, summaries);
	});
	if (outcome === undefined) return { kind: "dropped", why: "core" };
	if (outcome === "forgotten") return { kind: "dropped", why: "moved" };
	if (!outcome.entry) {
		if (outcome.reason === "stale") return { kind: "dropped", why: "moved" };
		return failures.length > 0 ? { kind: "failed", failures } : { kind: "nothing" };
	}
	const written = writeEntry(pi, view, outcome.entry.customType, outcome.entry.data);
	if (!written.ok) return { kind: "unwritten", message: written.message };
	core.use("folding a flush", undefined, (session) => sync(session, view));
	return { kind: "committed", outcome, failures };
}

/** A plan is forgotten when the branch is folded anew, which `/tree` there and back does. */
function commitPlan(session: CoreSession, plan: FlushPlan, summaries: (Summary | null)[]): FlushOutcome | "forgotten" {
	try {
		return session.commitFlush(plan.id, summaries);
	} catch (error) {
		if (codeOf(error) === UNKNOWN_PLAN) return "forgotten";
		throw error;
	}
}

function dropPlan(core: Core, plan: FlushPlan): void {
	core.use("dropping a flush", undefined, (session) => session.dropFlush(plan.id));
}

/** pi throws on everything once a session is replaced. */
function isOnBranchSafely(leafId: string, view: SessionView): boolean {
	try {
		return isOnBranch(leafId, view);
	} catch {
		return false;
	}
}
