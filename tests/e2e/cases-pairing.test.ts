// The case files on pairs, ids, open tasks and strangers, with everything on. Their `.md` says what is right.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { file, pruning } from "../harness/fixtures.ts";
import {
	assertRecoverable,
	assertRewrites,
	lastAgent,
	prunedOf,
	recall,
	rewritesOf,
	textOf,
} from "../harness/flushed.ts";
import { type Opened, openPruning, openSession, resume } from "../harness/opened.ts";
import { requireBuild, sharedCase } from "../harness/paths.ts";
import { refusals } from "../harness/providers/judge.ts";
import { type ProviderApi, payloadOf, speakers } from "../harness/providers/payload.ts";
import { explainPi } from "../harness/pruned.ts";
import { readSession } from "../harness/sandbox.ts";
import type { SdkRequest } from "../harness/sdk.ts";
import type { Entry } from "../harness/sessions.ts";
import { Walk } from "../harness/walk.ts";

requireBuild();

/** With the newest task a block as well, and with the window as it is by default. */
const windows = [0, 3];

async function open(t: TestContext, path: string, rollingWindow: number): Promise<Opened> {
	const sdk = await openPruning(t, { chainCompression: { rollingWindow } }, { entries: readSession(path) });
	for (const text of ["Go on.", "And now?", "Is that all?"]) await sdk.prompt(text);
	assert.deepEqual(sdk.errors, []);
	for (const request of sdk.of("agent")) await assertTaken(request);
	assertRewrites(sdk);
	await assertRecoverable(sdk, lastAgent(sdk));
	const again = await resume(t, sdk);
	for (const each of [sdk, again]) await each.prompt("Same?");
	assert.deepEqual(lastAgent(again).messages.slice(0, -1), lastAgent(sdk).messages.slice(0, -1), "resumed = live");
	return sdk;
}

/** All four providers would take it. */
async function assertTaken({ messages }: SdkRequest): Promise<void> {
	const spoken = messages.filter(({ role }) => role !== "system");
	for (const api of Object.keys(speakers) as ProviderApi[])
		assert.deepEqual(refusals(api, await payloadOf(api, spoken)), [], `${api} would refuse it`);
}

function caseFile(name: string, test: (t: TestContext, path: string, rollingWindow: number) => Promise<void>): void {
	const path = sharedCase(name);
	for (const rollingWindow of windows)
		it(`${name}, window ${rollingWindow}`, { skip: path ? false : "the case files are not at hand" }, (t) =>
			test(t, path ?? "", rollingWindow),
		);
}

const results = (request: SdkRequest) => request.messages.filter((message) => message.role === "toolResult");
const callsOf = (request: SdkRequest) =>
	request.messages.flatMap((message) =>
		message.role === "assistant" ? message.content.filter((block) => block.type === "toolCall") : [],
	);

describe("case files", () => {
	caseFile("01-orphan-after-chained-compactions.jsonl", async (t, path, rollingWindow) => {
		const sdk = await open(t, path, rollingWindow);
		const { swept, blocks } = prunedOf(lastAgent(sdk));
		const hidden = blocks.flatMap(({ hidden }) => hidden.map(({ callId }) => callId));
		const orphan = lastAgent(sdk).projection.findIndex(
			(each) => "toolCallId" in each && each.toolCallId === "toolu_c3x",
		);
		assert.ok(orphan >= 0, "pi alone would send it");
		assert.ok(
			swept.join() === `${orphan}` || (swept.length === 0 && blocks.length > 0 && !hidden.includes("toolu_c3x")),
		);
		assert.ok(!results(lastAgent(sdk)).some(({ toolCallId }) => toolCallId === "toolu_c3x"));
	});

	caseFile("03-reused-tool-call-ids.jsonl", async (t, path, rollingWindow) => {
		const sdk = await open(t, path, rollingWindow);
		const { stubbed, blocks } = prunedOf(lastAgent(sdk));
		const refs = [...stubbed.map(({ ref }) => ref), ...blocks.flatMap(({ refs }) => refs)];
		assert.deepEqual(refs.sort(), ["t1", "t2", "t3", "t4", "t5", "t6"]);
		const all = textOf({ role: "x", content: await recall(sdk, ["bash_0"]) } as never);
		for (const text of ["GET /a\nGET /b", "User\nOrder", "nightly\nhourly"]) assert.ok(all.includes(text), text);
		assert.ok(!all.includes("routes v1"), "and nothing of read_0");
		assert.equal(callsOf(lastAgent(sdk)).length, results(lastAgent(sdk)).length);
	});

	caseFile("15-one-user-turn-of-sixty-calls.jsonl", async (t, path, rollingWindow) => {
		const sdk = await open(t, path, rollingWindow);
		const { stubbed, blocks } = prunedOf(lastAgent(sdk));
		const refs = [...stubbed.map(({ ref }) => ref), ...blocks.flatMap(({ refs }) => refs)];
		const done = new Set(refs);
		assert.equal(done.size, refs.length, "none done twice");
		assert.ok(refs.length + results(lastAgent(sdk)).length - stubbed.length >= 60, "none skipped");
		assert.ok(refs.length >= 50, `${refs.length} picked up after the reload`);
	});

	caseFile("21-compaction-between-parallel-results.jsonl", async (t, path, rollingWindow) => {
		const sdk = await open(t, path, rollingWindow);
		for (const request of sdk.of("agent")) {
			const ids = results(request).map(({ toolCallId }) => toolCallId);
			assert.equal(new Set(ids).size, ids.length);
			assert.deepEqual(
				ids.sort(),
				callsOf(request)
					.map(({ id }) => id)
					.sort(),
			);
		}
	});

	caseFile("23-other-roles-and-strangers.jsonl", async (t, path, rollingWindow) => {
		const sdk = await open(t, path, rollingWindow);
		const { stubbed, blocks } = prunedOf(lastAgent(sdk));
		assert.equal(stubbed.length + blocks.flatMap(({ refs }) => refs).length, 1);
		const sent = JSON.stringify(lastAgent(sdk).messages);
		for (const text of ["plain string content", "git status", "Injected note", "Still there?"])
			assert.ok(sent.includes(text), text);
		assert.ok(!sent.includes("cat .env"), "what is excluded stays so");
	});
});

/** The file's branch on the core alone, where it ends. */
async function walkTo(t: TestContext, path: string, settings: Record<string, unknown>): Promise<Walk> {
	const walk = await Walk.begin(settings);
	t.after(() => walk.end());
	for (const entry of readSession(path).slice(1)) walk.add(entry as unknown as Entry);
	return walk;
}

describe("a task under way", () => {
	const five = sharedCase("05-signed-thinking-in-an-open-turn.jsonl");
	const fifteen = sharedCase("15-one-user-turn-of-sixty-calls.jsonl");
	const away = "the case files are not at hand";

	for (const trigger of ["budget", "agent-message", "compact"])
		it(`keeps its signed thinking byte for byte (case 05, ${trigger})`, { skip: five ? false : away }, async (t) => {
			const walk = await walkTo(t, five ?? "", {
				thinkingStrip: { keepLastTurns: 1 },
				chainCompression: { rollingWindow: 0 },
				minBatchChars: 0,
			});
			const opus = { api: "anthropic-messages", id: "claude-opus-4-5", contextWindow: 200_000 };
			assert.ok(walk.flush(trigger, opus));
			const { whole, ours } = walk.exchange();
			const { stubbed, unthinking, blocks } = explainPi(whole, ours, trigger);
			const open = whole.findLastIndex(({ role }) => role === "user");
			const assistants = (list: typeof whole) => list.filter(({ role }) => role === "assistant").slice(-2);
			assert.deepEqual(assistants(ours), assistants(whole), "the content arrays as stored");
			for (const at of unthinking) assert.ok(at < open);
			assert.ok(unthinking.length + blocks.length > 0 && stubbed.length > 0, "and something was pruned");
			assert.deepEqual(refusals("anthropic-messages", await payloadOf("anthropic-messages", ours)), []);
		});

	it("shrinks on a budget trigger and keeps its newest turns (case 15)", {
		skip: fifteen ? false : away,
	}, async (t) => {
		const walk = await walkTo(t, fifteen ?? "", { chainCompression: { keepOpenTurns: 5 } });
		const before = walk.exchange();
		assert.ok(walk.flush("budget", { api: "x", id: "y", contextWindow: 200_000 }));
		const { whole, ours } = walk.exchange();
		const { blocks } = explainPi(whole, ours, "case 15");
		assert.equal(blocks.length, 1);
		const assistants = (list: typeof whole) => list.filter(({ role }) => role === "assistant");
		assert.deepEqual(assistants(ours), assistants(whole).slice(-5), "the newest calls as they are");
		assert.ok(JSON.stringify(ours).length < JSON.stringify(before.ours).length / 4);
		for (const api of Object.keys(speakers) as ProviderApi[])
			assert.deepEqual(refusals(api, await payloadOf(api, ours)), [], api);
		const again = await walk.reloaded({ chainCompression: { keepOpenTurns: 5 } });
		t.after(() => again.end());
		assert.deepEqual(again.exchange().ours, ours, "after a reload too");
		assert.equal(again.session.report().pendingCalls, 0);
	});

	it("of sixty calls shrinks again and again in a live pi, and every output comes back", async (t) => {
		const steps = Array.from({ length: 60 }, (_, n) => ({ calls: [{ name: "read", args: { path: `${n}.txt` } }] }));
		const files = Object.fromEntries(steps.map((_, n) => [`${n}.txt`, file(n + 500, "log", 2_500)]));
		const sdk = await openSession(t, {
			settings: pruning({ autoBudgetThreshold: 0.3, chainCompression: { keepOpenTurns: 4 } }),
			files,
			contextWindow: 40_000,
			agent: [...steps, { text: "Done." }],
			mode: "rpc",
		});
		await sdk.prompt("Migrate all sixty.");
		assert.deepEqual(sdk.errors, []);
		const sizes = sdk.of("agent").map(({ messages }) => JSON.stringify(messages).length / 4);
		assert.ok(Math.max(...sizes) < 25_000, `largest request ${Math.max(...sizes)} tokens`);
		assert.ok(sizes.length === 61 && rewritesOf(sdk).length > 1);
		assertRewrites(sdk);
		const { blocks, stubbed } = prunedOf(lastAgent(sdk));
		assert.equal(blocks.length, 1, "each block takes the one before it in");
		for (const request of sdk.of("agent")) await assertTaken(request);
		const whole = results(lastAgent(sdk)).length - stubbed.length;
		assert.equal((await assertRecoverable(sdk, lastAgent(sdk))) + whole, 60, "to be seen or to be had");
	});
});
