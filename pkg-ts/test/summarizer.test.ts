import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Api, Model } from "@earendil-works/pi-ai";
import { callModel, type ModelCalls } from "../src/summarizer/call.ts";
import { chooseModel, type ModelSource } from "../src/summarizer/model.ts";
import { type CallLimits, Watchdog } from "../src/summarizer/watchdog.ts";
import { reply, settled } from "./fake-pi.ts";

const model = { provider: "fake", id: "one" } as Model<Api>;

function calls(events: AsyncIterable<unknown>, result: () => Promise<unknown>, seen: unknown[] = []): ModelCalls {
	const streamSimple = (...args: unknown[]) => {
		seen.push(...args);
		return { [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](), result };
	};
	return { streamSimple } as unknown as ModelCalls;
}

async function* none(): AsyncGenerator<unknown> {}

async function* ticks(n: number, ms: number, event: object = { type: "thinking_delta" }): AsyncGenerator<unknown> {
	for (let i = 0; i < n; i++) {
		await new Promise((resolve) => setTimeout(resolve, ms));
		yield event;
	}
}

const limits = { idleMs: 0, maxMs: 0 };
const never = new AbortController().signal;
const ask = (from: ModelCalls, thinking = "default", within: CallLimits = limits, signal = never) =>
	callModel(from, { model, prompt: "prompt", thinking, limits: within, routingId: "route", signal });

test("a whole answer is a summary with what it cost", async () => {
	const seen: unknown[] = [];
	const usage = { input: 10, output: 5, cacheRead: 3, cacheWrite: 2, cost: { total: 0.5 } };
	const answer = await ask(calls(none(), async () => reply(" text \n", { usage }), seen));
	assert.deepEqual(answer, { text: "text", usage: { input: 15, output: 5, cost: 0.5 } });
	const [, context, options] = seen as [
		unknown,
		{ messages: { content: unknown }[]; tools?: unknown },
		Record<string, unknown>,
	];
	assert.deepEqual(context.messages[0]?.content, [{ type: "text", text: "prompt" }]);
	assert.deepEqual([context.tools, options.cacheRetention, "reasoning" in options], [undefined, "none", false]);
});

test("a thinking level is passed on, off is none", async () => {
	for (const [level, expected] of [
		["high", "high"],
		["off", undefined],
		["default", undefined],
	] as const) {
		const seen: unknown[] = [];
		await ask(
			calls(none(), async () => reply("text"), seen),
			level,
		);
		assert.equal((seen[2] as { reasoning?: string }).reasoning, expected);
	}
});

const paid = { usage: { input: 10, output: 5, cost: 0.01 } };

test("half an answer is no summary, says which model gave it, and was paid for", async () => {
	for (const [message, kind, words] of [
		[reply(" \n"), "unusable", "gave an empty summary"],
		[reply("- [[1:read]]\n* [[2:mcp.tool]] …\n"), "unusable", "gave labels without a summary"],
		[reply("cut", { stopReason: "length" }), "unusable", "ran into its output limit"],
		[
			reply("", { content: [{ type: "toolCall" }, { type: "text", text: "x" }] }),
			"unusable",
			"called a tool instead of summarizing",
		],
		[reply("x", { stopReason: "deferred" }), "unusable", "did not finish (deferred)"],
		[
			reply("x", { stopReason: "error", errorMessage: "503 overloaded\n<html>" }),
			"transient",
			"failed: 503 overloaded",
		],
		[
			reply("", { stopReason: "error", errorMessage: "Provider is not configured: fake" }),
			"auth",
			"cannot be used: Provider is not configured: fake",
		],
	] as const) {
		const answer = await ask(calls(none(), async () => message));
		assert.deepEqual(answer, { kind, message: `fake/one ${words}`, ...paid });
	}
	const thrown = await ask(calls(none(), () => Promise.reject(new Error("socket hang up"))));
	assert.deepEqual(thrown, { kind: "transient", message: "fake/one failed: socket hang up" });
});

test("text in other scripts than ours is a summary", async () => {
	for (const text of ["- [[1:read]] 読み込み失敗", "✓ 3"]) {
		const answer = await ask(calls(none(), async () => reply(text)));
		assert.ok("text" in answer && answer.text === text);
	}
});

test("the answer's length is told as it grows", async () => {
	const seen: number[] = [];
	const from = calls(ticks(3, 1, { type: "text_delta", delta: "wörd" }), async () => reply("text"));
	await callModel(from, {
		model,
		prompt: "p",
		thinking: "default",
		limits,
		routingId: "r",
		signal: never,
		onText: (units) => seen.push(units),
	});
	assert.deepEqual(seen, [4, 8, 12]);
});

/** Lets `ms` of the mocked clock pass, a step at a time, with all that is ready run after each. */
async function pass(t: TestContext, ms: number, step = 5): Promise<void> {
	for (let at = 0; at < ms; at += step) {
		await settled();
		t.mock.timers.tick(step);
	}
	await settled();
}

/** Starts the mocked clock. */
const mockClock = (t: TestContext) => t.mock.timers.enable({ apis: ["setTimeout"] });

/** What a call has come to, or that it still runs. */
function watched<T>(call: Promise<T>): { now: () => T | "running" } {
	let state: T | "running" = "running";
	void call.then((answer) => {
		state = answer;
	});
	return { now: () => state };
}

test("silence ends a call, a slow stream does not", async (t) => {
	mockClock(t);
	const silent = watched(
		ask(
			calls(ticks(1, 500), async () => reply("late")),
			"default",
			{ idleMs: 40, maxMs: 0 },
		),
	);
	await pass(t, 35);
	assert.equal(silent.now(), "running");
	await pass(t, 5);
	assert.deepEqual(silent.now(), { kind: "transient", message: "fake/one was silent for 0.04 s" });
	const slow = watched(
		ask(
			calls(ticks(6, 20), async () => reply("text")),
			"default",
			{ idleMs: 100, maxMs: 0 },
		),
	);
	await pass(t, 115);
	assert.equal(slow.now(), "running");
	await pass(t, 5);
	assert.ok("text" in Object(slow.now()), "120 ms altogether, never 100 ms of silence");
});

test("a call that is cut off is paid for up to there", async (t) => {
	mockClock(t);
	const usage = { input: 100, output: 7, cacheRead: 0, cacheWrite: 0, cost: { total: 0.2 } };
	const start = { type: "start", partial: { usage } };
	const asked = ask(
		calls(
			(async function* () {
				yield start;
				await new Promise((resolve) => setTimeout(resolve, 500));
			})(),
			async () => reply("late"),
		),
		"default",
		{ idleMs: 30, maxMs: 0 },
	);
	await pass(t, 30);
	const silent = await asked;
	assert.ok("kind" in silent && silent.kind === "transient");
	assert.deepEqual(silent.usage, { input: 100, output: 7, cost: 0.2 });
});

test("the clocks run while credentials are looked up, and 0 switches each off", async (t) => {
	mockClock(t);
	const neverStarts = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) } as never;
	const hung = ask(
		calls(neverStarts, () => new Promise(() => {})),
		"default",
		{ idleMs: 30, maxMs: 0 },
	);
	await pass(t, 30);
	assert.deepEqual(await hung, { kind: "transient", message: "fake/one was silent for 0.03 s" });
	const patient = ask(
		calls(ticks(1, 3_600_000), async () => reply("text")),
		"default",
		{ idleMs: 0, maxMs: 0 },
	);
	await pass(t, 3_600_000, 600_000);
	assert.ok("text" in (await patient));
});

test("a time-out beyond what timers can do is not one that fires at once", async () => {
	// By the real clock: the mocked one takes any delay.
	const huge = await ask(
		calls(ticks(1, 20), async () => reply("text")),
		"default",
		{ idleMs: 1e12, maxMs: 1e12 },
	);
	assert.ok("text" in huge);
});

test("the ceiling ends a call that only thinks", async (t) => {
	mockClock(t);
	const answer = watched(
		ask(
			calls(ticks(100, 10), async () => reply("late")),
			"default",
			{ idleMs: 100, maxMs: 60 },
		),
	);
	await pass(t, 55);
	assert.equal(answer.now(), "running");
	await pass(t, 5);
	assert.deepEqual(answer.now(), { kind: "transient", message: "fake/one took longer than 0.06 s" });
});

test("an abort is an abort, even of a provider that does not listen", async () => {
	const controller = new AbortController();
	const asked = ask(
		calls(ticks(1, 1_000), () => new Promise(() => {})),
		"default",
		limits,
		controller.signal,
	);
	await settled();
	controller.abort();
	assert.deepEqual(await asked, { kind: "aborted", message: "fake/one was aborted" });
});

test("a stream that goes on after its call was given up starts no clock", (t) => {
	mockClock(t);
	const watchdog = new Watchdog({ idleMs: 10, maxMs: 10 }, "fake/one");
	watchdog.end();
	watchdog.sign();
	t.mock.timers.tick(40);
	assert.deepEqual([watchdog.verdict, watchdog.signal.aborted], [undefined, false]);
});

test("the model is the session's, or the one named, split at the first slash", () => {
	const asked: string[][] = [];
	const source = {
		model,
		modelRegistry: {
			find: (provider: string, id: string) => {
				asked.push([provider, id]);
				return provider === "router" ? ({ provider, id } as Model<Api>) : undefined;
			},
		},
	} as ModelSource;
	assert.equal(chooseModel("default", source).model, model);
	assert.equal(chooseModel("router/a/b:c", source).model?.id, "a/b:c");
	const unknown = chooseModel("nobody/x", source);
	assert.equal(unknown.model, model);
	assert.match(unknown.warning ?? "", /"nobody\/x" is not one pi knows.*using fake\/one/);
	assert.match(chooseModel("haiku", source).warning ?? "", /expected "provider\/id"/);
	assert.deepEqual(asked, [
		["router", "a/b:c"],
		["nobody", "x"],
	]);
});
