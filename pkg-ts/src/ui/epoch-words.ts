import type { BatchNode, EpochNode } from "./epochs.ts";

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
	grace: "recalled output pruned again",
};

const OUTCOMES: Readonly<Record<string, string>> = {
	summarized: "summary",
	"skipped-trivial": "skipped: too small",
	"skipped-deduped": "skipped: same output as before",
	"skipped-oversized": "skipped: summary was longer",
	spilled: "in a file",
	recovered: "fetched back by the agent",
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
export function outcomeWords({ outcome }: Pick<BatchNode, "outcome">): string {
	return OUTCOMES[outcome] ?? outcome;
}
