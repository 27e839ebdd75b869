import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseOf } from "../src/ui/pause.ts";
import { FakeCommands } from "./fake-commands.ts";

test("status: money, budget, protection and the last flush, where there is something to say", async () => {
	const pi = new FakeCommands({ contextPrune: { autoBudgetThreshold: 0.8, budgetTurnDelta: 0.2 } });
	const plain = await pi.run("status");
	assert.doesNotMatch(plain, /price|provider counted|Protected|Last flush|NaN|undefined/);
	pi.model = {
		...{ provider: "fake", id: "one", contextWindow: 1_000_000 },
		cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
	};
	const usage = { input: 1_000, output: 10, cacheRead: 12_000, cacheWrite: 1_000, cost: { total: 0.0105 } };
	pi.tree.add({ type: "message", message: { role: "assistant", content: [], usage } });
	if (pi.report)
		Object.assign(pi.report, {
			protectedUnmatched: ["my tool", "x/**", "**/skills/**/*.md"],
			pendingCalls: 3,
			pendingUnits: 20_000,
		});
	pi.lastFlush = { kind: "failed", failures: [{ message: "fake/one: stalled" }] };
	const lines = (await pi.run("status")).split("\n");
	for (const line of [
		"Last request: 92k -> 14k tokens (-85%), 7 tool results shown as stubs, about $0.0234 less at the cached price.",
		"The provider counted 14k tokens, 12k of them from its cache, $0.0105 with the answer.",
		"Waiting: 3 tool results, about 5k tokens; summarized after the next reply.",
		// The window is taken for no larger than budgetCeilingTokens.
		"Next request: about 14k tokens without the system prompt, 1% of 1M. A task is flushed in its middle from 240k tokens on, or when a turn adds 60k.",
		'Protected, but matching nothing here so far: "my tool" x/**.',
		"Last flush: summarizing failed (fake/one: stalled). Nothing was pruned; the next flush tries again. /pruner model chooses another summarizer.",
	])
		assert.ok(lines.includes(line), `${line}\nis not in\n${lines.join("\n")}`);
	pi.report = undefined;
	assert.match(await pi.run("status"), /The ledger of this session cannot be read/);
});

test("status promises no flush that will not come, and says why", async () => {
	for (const kind of ["held", "shared", "broken"] as const) {
		const pi = new FakeCommands();
		pi.paused = kind;
		if (pi.report) pi.report.pendingCalls = 3;
		if (kind !== "broken") pi.lastFlush = { kind };
		const said = await pi.run("status");
		assert.ok(said.startsWith(`pi-decant: pruning is paused: ${pauseOf(kind).why}\n`), said);
		assert.match(said, /Waiting: 3 tool results, .*; left as is while pruning is paused\./);
		assert.doesNotMatch(said, /after the next reply|Last flush/);
	}
});

test("status says which summarizer stands in for one that pi does not know; stats and status know of no request yet", async () => {
	const pi = new FakeCommands({ contextPrune: { summarizerModel: "fake/nosuch" } });
	assert.ok(pi.report);
	pi.report = { ...pi.report, sizes: { before: 0, after: 0 } };
	assert.match(
		await pi.run("status"),
		/\nSummarizer: fake\/one \(the session's model, since pi knows no "fake\/nosuch"; \/pruner model sets another\)\.\n/,
	);
	assert.match(await pi.run("status"), /Last request: none yet since pi started\./);
	assert.match(await pi.run("stats"), /Saved +no request yet since pi started/);
});
