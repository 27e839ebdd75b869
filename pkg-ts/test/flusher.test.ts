import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlushPlan, Summary } from "../src/boundary.ts";
import { type Answers, type CommitEnd, type FlushDesk, Flusher, type SummaryFailure } from "../src/flush/flusher.ts";
import type { BatchState } from "../src/ui/progress.ts";
import { gate, settled } from "./fake-pi.ts";

class Desk implements FlushDesk {
	batches = ["a", "b", "c"];
	fusions: string[] = [];
	readonly fused: (Summary | null)[][] = [];
	committed: (Summary | null)[][] = [];
	dropped = 0;
	atOnce = 0;
	mostAtOnce = 0;
	oversized: number[] = [];
	answer: (
		prompt: string,
		signal: AbortSignal,
		onText: (units: number) => void,
	) => Promise<(Summary & { model?: string }) | SummaryFailure> = async (prompt) => ({ text: prompt });

	plan(): FlushPlan | undefined {
		if (this.batches.length === 0) return undefined;
		const batches = this.batches.map((prompt, turn) => ({ prompt, turn, calls: [], rawUnits: 1 }));
		return {
			id: 1,
			leafId: "e1",
			batches,
			skipped: [],
			fusions: this.fusions.map((prompt) => ({ block: prompt, prompt })),
		};
	}

	async summarize(prompt: string, signal: AbortSignal, onText: (units: number) => void) {
		this.atOnce += 1;
		this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
		try {
			return await this.answer(prompt, signal, onText);
		} finally {
			this.atOnce -= 1;
		}
	}

	commit(_plan: FlushPlan, { summaries, fusions }: Answers, failures: SummaryFailure[]): CommitEnd {
		this.committed.push(summaries);
		this.fused.push(fusions);
		const notes = this.oversized.map((turn) => ({
			turn,
			outcome: "skipped-oversized" as const,
			calls: 1,
			rawUnits: 1,
			summaryUnits: 2,
		}));
		return { kind: "committed", outcome: { summarized: 1, calls: 1, savedUnits: 1, notes, blocks: [] }, failures };
	}

	drop(): void {
		this.dropped += 1;
	}

	concurrency(): number {
		return 2;
	}
}

test("summaries are committed in the order of their batches, no more than allowed at once", async () => {
	const desk = new Desk();
	desk.answer = async (prompt) => {
		if (prompt === "a") await settled();
		return { text: prompt };
	};
	const end = await new Flusher(desk).start("agent-message");
	assert.equal(end.kind, "committed");
	assert.deepEqual(desk.committed, [[{ text: "a" }, { text: "b" }, { text: "c" }]]);
	assert.equal(desk.mostAtOnce, 2);
});

test("what fails or throws is null and counted, the rest is kept", async () => {
	const desk = new Desk();
	desk.answer = async (prompt) => {
		if (prompt === "b") throw new Error("boom");
		return prompt === "c" ? { message: "empty" } : { text: prompt };
	};
	const end = await new Flusher(desk).start("agent-message");
	assert.deepEqual(end.kind === "committed" && end.failures, [{ message: "boom" }, { message: "empty" }]);
	assert.deepEqual(desk.committed, [[{ text: "a" }, null, null]]);
});

test("one flush at a time", async () => {
	const desk = new Desk();
	const { opened, open } = gate();
	desk.answer = async (prompt) => opened.then(() => ({ text: prompt }));
	const flusher = new Flusher(desk);
	const first = flusher.start("agent-message");
	assert.equal(flusher.busy, true);
	assert.deepEqual(await flusher.start("now"), { kind: "busy" });
	open();
	assert.equal((await first).kind, "committed");
	assert.equal(flusher.busy, false);
	assert.equal((await flusher.start("now")).kind, "committed");
});

test("nothing pending is nothing, and costs no call", async () => {
	const desk = new Desk();
	desk.batches = [];
	assert.deepEqual(await new Flusher(desk).start("agent-message"), { kind: "nothing" });
	assert.equal(desk.mostAtOnce, 0);
});

test("an abort drops the flush, whatever came back", async () => {
	const desk = new Desk();
	const asked: string[] = [];
	desk.answer = (prompt, signal) => {
		asked.push(prompt);
		return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ text: "late" })));
	};
	const flusher = new Flusher(desk);
	const end = flusher.start("agent-message");
	flusher.abort();
	assert.deepEqual(await end, { kind: "dropped", why: "aborted" });
	assert.deepEqual([desk.committed, desk.dropped, asked], [[], 1, ["a", "b"]]);
});

test("the caller's signal aborts too", async () => {
	const desk = new Desk();
	const controller = new AbortController();
	desk.answer = async (prompt) => {
		controller.abort();
		return { text: prompt };
	};
	assert.deepEqual(await new Flusher(desk).start("agent-message", { signal: controller.signal }), {
		kind: "dropped",
		why: "aborted",
	});
});

test("a shutdown waits for what is in flight, and starts nothing more", async () => {
	const desk = new Desk();
	const { opened, open } = gate();
	desk.answer = async (prompt) => opened.then(() => ({ text: prompt }));
	const flusher = new Flusher(desk);
	const end = flusher.start("agent-message");
	const closed = flusher.settle(5_000);
	await settled();
	assert.deepEqual(desk.committed, []);
	open();
	await closed;
	assert.equal((await end).kind, "committed");
	assert.deepEqual(await flusher.start("agent-message"), { kind: "dropped", why: "aborted" });
});

test("a shutdown's patience ends, also with a summarizer that ignores its signal", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const desk = new Desk();
	desk.answer = () => new Promise(() => {});
	const flusher = new Flusher(desk);
	void flusher.start("agent-message");
	let over = false;
	const closed = flusher.settle(30).then(() => {
		over = true;
	});
	// 30 ms for the flush, 250 more for what was told to stop.
	for (const ms of [29, 1, 249]) {
		t.mock.timers.tick(ms);
		await settled();
		assert.equal(over, false);
	}
	t.mock.timers.tick(1);
	await closed;
	assert.deepEqual(desk.committed, []);
});

test("a desk that throws while committing fails the flush, not pi", async () => {
	const desk = new Desk();
	desk.commit = () => {
		throw new Error("boom");
	};
	assert.deepEqual(await new Flusher(desk).start("agent-message"), { kind: "failed", failures: [{ message: "boom" }] });
	assert.equal(desk.dropped, 1);
});

test("the models that wrote are named; what failed but cost something is handed on as an empty summary", async () => {
	const desk = new Desk();
	const usage = { input: 5, output: 1, cost: 0.1 };
	desk.answer = async (prompt) =>
		prompt === "b" ? { message: "empty", usage } : { text: prompt, model: prompt === "a" ? "p/one" : "p/two" };
	const end = await new Flusher(desk).start("agent-message");
	assert.deepEqual(end.kind === "committed" && end.models, ["p/one", "p/two"]);
	assert.deepEqual(desk.committed, [[{ text: "a" }, { text: "", usage }, { text: "c" }]]);
});

test("a watcher is told of each batch: running, its length so far, done, failed, too long after all", async () => {
	const desk = new Desk();
	desk.oversized = [2];
	desk.answer = async (prompt, _signal, onText) => {
		onText(1);
		return prompt === "b" ? { message: "empty" } : { text: prompt };
	};
	const seen: [number, BatchState][] = [];
	const planned: number[] = [];
	const progress = {
		planned: (plan: FlushPlan) => void planned.push(plan.batches.length),
		batch: (index: number, state: BatchState) => void seen.push([index, state]),
	};
	await new Flusher(desk).start("now", { progress });
	assert.deepEqual(planned, [3]);
	const of = (index: number) => seen.filter(([at]) => at === index).map(([, state]) => state);
	assert.deepEqual(of(0), [{ kind: "running" }, { kind: "running", units: 1 }, { kind: "done", units: 1 }]);
	assert.deepEqual(of(1).at(-1), { kind: "failed", message: "empty" });
	assert.deepEqual(of(2).at(-1), { kind: "skipped", why: "the summary would be longer" });
});

test("a watcher that throws does not disturb the flush", async () => {
	const desk = new Desk();
	const progress = {
		planned: () => {},
		batch: () => assert.fail("a broken widget"),
	};
	assert.equal((await new Flusher(desk).start("now", { progress })).kind, "committed");
});

test("a flush whose branch was left ends at once", async () => {
	const desk = new Desk();
	desk.answer = (_prompt, signal) =>
		new Promise((resolve) => signal.addEventListener("abort", () => resolve({ message: "aborted" })));
	const flusher = new Flusher(desk);
	const end = flusher.start("agent-message");
	assert.equal(flusher.plan?.leafId, "e1");
	flusher.abort("moved");
	assert.deepEqual(await end, { kind: "dropped", why: "moved" });
	assert.deepEqual([desk.dropped, flusher.plan], [1, undefined]);
});

test("pi closes: the summaries that are there are committed, the rest is left", async () => {
	const desk = new Desk();
	desk.answer = (prompt, signal) =>
		prompt === "a"
			? Promise.resolve({ text: prompt })
			: new Promise((resolve) => signal.addEventListener("abort", () => resolve({ message: "aborted" })));
	const flusher = new Flusher(desk);
	const end = flusher.start("agent-message");
	await flusher.settle(20);
	assert.equal((await end).kind, "committed");
	assert.deepEqual(desk.committed, [[{ text: "a" }, null, null]]);
	assert.equal((await flusher.start("agent-message")).kind, "dropped", "none is started any more");
});

test("fusions are asked for beside the summaries; one that fails is no failed batch", async () => {
	const desk = new Desk();
	desk.fusions = ["x", "y"];
	const usage = { input: 5, output: 1, cost: 0.1 };
	desk.answer = async (prompt) => (prompt === "y" ? { message: "empty", usage } : { text: prompt });
	const rows = new Map<number, string>();
	const progress = { planned: () => {}, batch: (index: number, { kind }: BatchState) => void rows.set(index, kind) };
	const end = await new Flusher(desk).start("now", { progress });
	assert.deepEqual(end.kind === "committed" && end.failures, []);
	assert.deepEqual(desk.committed, [[{ text: "a" }, { text: "b" }, { text: "c" }]]);
	assert.deepEqual(desk.fused, [[{ text: "x" }, { text: "", usage }]]);
	assert.deepEqual([...rows.values()], ["done", "done", "done", "done", "failed"]);
});
