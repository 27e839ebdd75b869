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
import type { EntryWriter } from "../session/write.ts";
import { sumUsage } from "../summarizer/judge.ts";
import type { Bill } from "./bill.ts";
import type { Answers, CommitEnd, FlushDesk, SummaryFailure } from "./flusher.ts";

/** What the desk works with. Getters, since pi's contexts go stale and settings change. */
export interface DeskParts {
	core: Core;
	writer: EntryWriter;
	bill: Bill;
	view: () => SessionView | undefined;
	config: () => Config;
	/** The model the conversation is held with. */
	model: () => { api?: string; id?: string; contextWindow?: number } | undefined;
	summarize: FlushDesk["summarize"];
}

/** The flush's desk over a real session and a real core. */
export function flushDesk(parts: DeskParts): FlushDesk {
	const { core, bill } = parts;
	return {
		summarize: async (prompt, signal, onText) => {
			const answer = await parts.summarize(prompt, signal, onText);
			bill.add(answer.usage);
			return answer;
		},
		concurrency: () => parts.config().summarizerConcurrency,
		plan: (trigger) => {
			const view = parts.view();
			if (!view || !parts.config().enabled) return undefined;
			return core.use("planning a flush", undefined, (session) => {
				sync(session, view);
				return session.planFlush(trigger, branchLookup(view), parts.model());
			});
		},
		drop: (plan) => dropPlan(core, plan),
		// Nothing here may await: what is checked must still hold when the line is written.
		commit: (plan, answers, failures) => {
			const view = parts.view();
			if (!view || !parts.config().enabled || !isOnBranch(plan.leafId, view)) {
				dropPlan(core, plan);
				return { kind: "dropped", why: "moved" };
			}
			return commit(parts, view, plan, answers, failures);
		},
	};
}

function commit(
	{ core, writer, bill }: DeskParts,
	view: SessionView,
	plan: FlushPlan,
	answers: Answers,
	failures: SummaryFailure[],
): CommitEnd {
	const outcome = core.use("committing a flush", undefined, (session) => {
		// The core drops results that a compaction or an edit took out of the projection since the plan was made.
		sync(session, view);
		return commitPlan(session, plan, withDebts(answers, bill));
	});
	if (outcome === undefined) return { kind: "dropped", why: "core" };
	if (outcome === "forgotten") return { kind: "dropped", why: "moved" };
	if (!outcome.entry) {
		if (outcome.reason === "stale") return { kind: "dropped", why: "moved" };
		return failures.length > 0 ? { kind: "failed", failures } : { kind: "nothing" };
	}
	const written = writer.write(view, outcome.entry);
	if (!written.ok) return written.shared ? { kind: "shared" } : { kind: "unwritten", message: written.message };
	bill.written();
	core.use("folding a flush", undefined, (session) => sync(session, view));
	return { kind: "committed", outcome, failures };
}

/** Adds what earlier calls cost that no epoch could account for: flushes that failed, or were aborted. */
function withDebts({ summaries, fusions }: Answers, bill: Bill): Answers {
	const own = sumUsage(...[...summaries, ...fusions].map((answer) => answer?.usage));
	const { unwritten } = bill;
	const debts = {
		input: Math.max(0, unwritten.input - (own?.input ?? 0)),
		output: Math.max(0, unwritten.output - (own?.output ?? 0)),
		cost: Math.max(0, unwritten.cost - (own?.cost ?? 0)),
	};
	const payer = summaries.find((summary) => summary !== null) ?? fusions.find((fusion) => fusion !== null);
	const charged = (answer: Summary | null): Summary | null => {
		const usage = answer === payer ? sumUsage(answer?.usage, debts) : answer?.usage;
		return answer && usage ? { ...answer, usage } : answer;
	};
	return { summaries: summaries.map(charged), fusions: fusions.map(charged) };
}

/** A plan is forgotten when the branch is folded anew, which `/tree` there and back does. */
function commitPlan(session: CoreSession, plan: FlushPlan, answers: Answers): FlushOutcome | "forgotten" {
	try {
		return session.commitFlush(plan.id, answers.summaries, answers.fusions);
	} catch (error) {
		if (codeOf(error) === UNKNOWN_PLAN) return "forgotten";
		throw error;
	}
}

function dropPlan(core: Core, plan: FlushPlan): void {
	core.use("dropping a flush", undefined, (session) => session.dropFlush(plan.id));
}
