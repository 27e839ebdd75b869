import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { BudgetGate } from "../src/flush/budget.ts";
import type { FlushEnd, Flusher, FlushTrigger } from "../src/flush/flusher.ts";
import { FlushSchedule } from "../src/flush/schedule.ts";
import { TOOL_NAME } from "../src/tools/context-tree-query.ts";
import { settled } from "./fake-pi.ts";

/** A flusher that ends its flushes when told to. */
function scripted() {
	const started: FlushTrigger[] = [];
	let finish: ((end: FlushEnd) => void) | undefined;
	const flusher = {
		get busy() {
			return finish !== undefined;
		},
		start(trigger: FlushTrigger): Promise<FlushEnd> {
			if (finish) return Promise.resolve({ kind: "busy" });
			started.push(trigger);
			return new Promise((resolve) => {
				finish = (end) => {
					finish = undefined;
					resolve(end);
				};
			});
		},
	};
	return { flusher: flusher as unknown as Flusher, started, finish: (end: FlushEnd) => finish?.(end) };
}

function schedule(flusher: Flusher): FlushSchedule {
	return new FlushSchedule({
		pi: { getActiveTools: () => [TOOL_NAME] },
		flusher,
		budget: { flushEnded: () => {} } as unknown as BudgetGate,
		config: () => ({ flush: "background", quietOversizedSkips: true }) as never,
		pending: () => 1,
		shared: () => false,
		tell: () => {},
		announce: () => {},
		changed: () => {},
	});
}

const ctx = { hasUI: true } as unknown as ExtensionContext;

test("a reply during /pruner now is flushed when that has ended", async () => {
	const { flusher, started, finish } = scripted();
	const plan = schedule(flusher);
	const asked = plan.now("now");
	await plan.replied(ctx);
	await settled();
	assert.deepEqual(started, ["now"]);
	finish({
		kind: "committed",
		outcome: { notes: [], blocks: [], summarized: 1, calls: 1, savedUnits: 1 },
		failures: [],
	});
	await asked;
	await settled();
	assert.deepEqual(started, ["now", "agent-message"]);
});

test("what became due during a flush that failed waits for the next reply", async () => {
	const { flusher, started, finish } = scripted();
	const plan = schedule(flusher);
	const asked = plan.now("now");
	await plan.replied(ctx);
	finish({ kind: "failed", failures: [] });
	await asked;
	await settled();
	assert.deepEqual(started, ["now"]);
});
