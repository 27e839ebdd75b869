import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { BudgetCheck, ReportedUsage } from "../src/boundary.ts";
import { BudgetGate } from "../src/flush/budget.ts";

type Usage = ReturnType<ExtensionContext["getContextUsage"]>;

/** A gate whose core says what it is told to say. */
function fixture(config: { autoBudgetThreshold: number | null; budgetTurnDelta: number | null }) {
	const asked: ReportedUsage[] = [];
	const verdict: BudgetCheck = { due: "budget", tokens: 142_300, source: "reported" };
	const gate = new BudgetGate({
		config: () => config,
		check: (usage) => {
			asked.push(usage);
			return verdict;
		},
	});
	const turn = (pendingBatches: number, usage?: Usage, captured = 1) =>
		gate.turnEnded({ getContextUsage: () => usage, model: { contextWindow: 200_000 } } as unknown as ExtensionContext, {
			captured,
			pendingBatches: () => pendingBatches,
		});
	return { gate, asked, verdict, turn };
}

const threshold = { autoBudgetThreshold: 0.7, budgetTurnDelta: null };

test("pi is not asked where no budget is set", () => {
	const { asked, turn } = fixture({ autoBudgetThreshold: null, budgetTurnDelta: null });
	assert.equal(turn(3), undefined);
	assert.deepEqual(asked, []);
});

test("a budget that is used up starts a flush and says so; with nothing waiting there is nothing to do", () => {
	const { turn, verdict } = fixture(threshold);
	assert.deepEqual(turn(3), {
		trigger: "budget",
		notice: "pi-decant: the context budget is used up (142k tokens); summarizing 3 waiting turns.",
	});
	assert.equal(turn(0), undefined);
	verdict.due = "delta";
	verdict.source = "estimated";
	assert.deepEqual(turn(1), {
		trigger: "delta",
		notice: "pi-decant: the context jumped in this turn (about 142k tokens); summarizing 1 waiting turn.",
	});
	delete verdict.due;
	assert.equal(turn(3), undefined);
});

test("whatever pi reports reaches the core, which judges it; no figure is no figure", () => {
	const { asked, turn } = fixture(threshold);
	turn(1, { tokens: 5_000, contextWindow: 100_000, percent: 5 });
	turn(1, { tokens: null, contextWindow: 100_000, percent: null });
	turn(1, { tokens: 0, contextWindow: 0, percent: 0 });
	turn(1, { tokens: Number.NaN, contextWindow: -1, percent: null });
	turn(1, undefined);
	assert.deepEqual(asked, [
		{ tokens: 5_000, contextWindow: 100_000 },
		{ tokens: null, contextWindow: 100_000 },
		{ tokens: 0, contextWindow: 0 },
		{ tokens: Number.NaN, contextWindow: -1 },
		{ tokens: null, contextWindow: 200_000 },
	]);
});

test("a context that went stale is no figure either", () => {
	const { gate, asked } = fixture(threshold);
	const stale = {
		getContextUsage: () => {
			throw new Error("stale");
		},
	} as unknown as ExtensionContext;
	gate.turnEnded(stale, { captured: 1, pendingBatches: () => 1 });
	assert.deepEqual(asked, [{ tokens: null }]);
});

test("work found at the start is flushed without a new batch, and named; a new batch ends that", () => {
	const { gate, turn } = fixture(threshold);
	gate.branchFolded(2);
	assert.deepEqual(turn(2, undefined, 0), {
		trigger: "rearmed",
		notice: "pi-decant: the context budget is used up (142k tokens); summarizing work from before the reload.",
	});
	assert.equal(turn(3, undefined, 1)?.trigger, "budget");
	gate.branchFolded(2);
	gate.flushEnded({ kind: "busy" });
	assert.equal(gate.recovered, true);
	gate.flushEnded({ kind: "nothing" });
	assert.equal(gate.recovered, false);
});

test("failures in a row make the budgets wait 2, 4, 8, 16 and no more turns; a success ends that", () => {
	const { gate, turn } = fixture(threshold);
	const waits = [];
	for (let round = 0; round < 6; round++) {
		gate.flushEnded({ kind: "failed", failures: [] });
		let waited = 0;
		while (!turn(1)) waited += 1;
		waits.push(waited);
	}
	assert.deepEqual(waits, [2, 4, 8, 16, 16, 16]);
	gate.flushEnded({ kind: "unwritten", message: "ENOSPC" });
	gate.flushEnded({
		kind: "committed",
		outcome: { summarized: 1, calls: 1, savedUnits: 1, notes: [], blocks: [] },
		failures: [],
	});
	assert.ok(turn(1));
});
