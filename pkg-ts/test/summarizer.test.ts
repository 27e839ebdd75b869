import assert from "node:assert/strict";
import { test } from "node:test";
import type { Api, Model } from "@earendil-works/pi-ai";
import { callModel, type ModelCalls } from "../src/summarizer/call.ts";
import { chooseModel, type ModelSource } from "../src/summarizer/model.ts";
import { reply } from "./fake-pi.ts";

const model = { provider: "fake", id: "one" } as Model<Api>;

function calls(events: AsyncIterable<unknown>, result: () => Promise<unknown>, seen: unknown[] = []): ModelCalls {
	const streamSimple = (...args: unknown[]) => {
		seen.push(...args);
		return { [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](), result };
	};
	return { streamSimple } as unknown as ModelCalls;
}

async function* none(): AsyncGenerator<unknown> {}

async function* ticks(n: number, ms: number): AsyncGenerator<unknown> {
	for (let i = 0; i < n; i++) {
		await new Promise((resolve) => setTimeout(resolve, ms));
		yield { type: "thinking_delta" };
	}
}

const limits = { idleMs: 0, maxMs: 0 };
const never = new AbortController().signal;
const ask = (from: ModelCalls, thinking = "default", within = limits, signal = never) =>
	callModel(from, model, "prompt", thinking, within, signal);

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

test("half an answer is no summary", async () => {
	for (const [message, kind, words] of [
		[reply(" \n"), "unusable", /empty summary/],
		[reply("cut", { stopReason: "length" }), "unusable", /cut off/],
		[reply("", { content: [{ type: "toolCall" }, { type: "text", text: "x" }] }), "unusable", /called a tool/],
		[reply("x", { stopReason: "error", errorMessage: "503 overloaded" }), "transient", /fake\/one: 503 overloaded/],
	] as const) {
		const answer = await ask(calls(none(), async () => message));
		assert.ok("kind" in answer && answer.kind === kind, JSON.stringify(answer));
		assert.match(answer.message, words);
	}
	const thrown = await ask(calls(none(), () => Promise.reject(new Error("No API key"))));
	assert.deepEqual(thrown, { kind: "transient", message: "fake/one: No API key" });
});

test("silence ends a call, a slow stream does not", async () => {
	const silent = await ask(
		calls(ticks(1, 500), async () => reply("late")),
		"default",
		{ idleMs: 40, maxMs: 0 },
	);
	assert.deepEqual(silent, { kind: "transient", message: "fake/one stalled (no output for 0.04 s)" });
	const slow = await ask(
		calls(ticks(6, 20), async () => reply("text")),
		"default",
		{ idleMs: 100, maxMs: 0 },
	);
	assert.ok("text" in slow, "120 ms altogether, never 100 ms of silence");
});

test("the ceiling ends a call that only thinks", async () => {
	const answer = await ask(
		calls(ticks(100, 10), async () => reply("late")),
		"default",
		{ idleMs: 100, maxMs: 60 },
	);
	assert.deepEqual(answer, { kind: "transient", message: "fake/one exceeded the 0.06 s ceiling" });
});

test("an abort is an abort, even of a provider that does not listen", async () => {
	const controller = new AbortController();
	setTimeout(() => controller.abort(), 10);
	const answer = await ask(
		calls(ticks(1, 1_000), () => new Promise(() => {})),
		"default",
		limits,
		controller.signal,
	);
	assert.deepEqual(answer, { kind: "aborted", message: "aborted" });
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
