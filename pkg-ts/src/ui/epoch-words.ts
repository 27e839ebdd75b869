import type { BatchNode, EpochNode } from "./epochs.ts";
import { isLeft, PURGED, REPEATED } from "./tally.ts";

const TRIGGERS: Readonly<Record<string, string>> = {
	"agent-message": "after a reply",
	now: "on demand",
	compact: "compaction asked for",
	budget: "context budget reached",
	delta: "context jumped in one turn",
	rearmed: "left over from before the reload",
};

const REASONS: Readonly<Record<string, string>> = {
	spill: "large output put into a file",
	"switched-off": "pruning switched off",
	"switched-on": "pruning switched on",
	settings: "settings changed",
	live: "settings of live aging changed",
	adopted: "taken over from pi-condense",
	"pi-condense": "archived by pi-condense",
};

const OUTCOMES: Readonly<Record<string, string>> = {
	summarized: "summary",
	[REPEATED]: "repeated output",
	spilled: "in a file",
	recovered: "fetched back by the agent, pruned again",
	archived: "archived",
	[PURGED]: "arguments of a failed call",
};

/** Why a batch was left as it is. */
const LEFT_BECAUSE: Readonly<Record<string, string>> = {
	"skipped-trivial": "too small",
	"skipped-oversized": "summary was longer",
};

/** What an epoch is, for people. Words the core may add later stand as they are. */
export function epochWords({ reason, trigger }: Pick<EpochNode, "reason" | "trigger">): string {
	if (reason !== "flush") return REASONS[reason] ?? reason;
	return trigger === "" ? "flush" : `flush, ${triggerWords(trigger)}`;
}

/** What started a flush. */
export function triggerWords(trigger: string): string {
	return TRIGGERS[trigger] ?? trigger;
}

/** What became of a batch. */
export function outcomeWords(batch: Pick<BatchNode, "outcome">): string {
	if (isLeft(batch)) return `left as is: ${leftBecause(batch)}`;
	return OUTCOMES[batch.outcome] ?? batch.outcome;
}

/** Why a batch was left as it is. */
export function leftBecause({ outcome }: Pick<BatchNode, "outcome">): string {
	return LEFT_BECAUSE[outcome] ?? outcome;
}
