// Finished tasks leave the request of a real pi as blocks, and come back through context_tree_query.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { file } from "../harness/fixtures.ts";
import {
	assertRecoverable,
	assertRewrites,
	lastAgent,
	problemsOf,
	prunedOf,
	recall,
	textOf,
} from "../harness/flushed.ts";
import { protectedText } from "../harness/marks.ts";
import { type Opened, openPruning, openSession, resume } from "../harness/opened.ts";
import { requireBuild } from "../harness/paths.ts";
import type { SdkOptions, SdkStep } from "../harness/sdk.ts";

requireBuild();

const contents = Array.from({ length: 12 }, (_, n) => file(n + 300, "code", 4_000));
const files = Object.fromEntries(contents.map((content, n) => [`${n}.txt`, content]));
const read = (...of: number[]): SdkStep => ({ calls: of.map((n) => ({ name: "read", args: { path: `${n}.txt` } })) });

const open = (t: TestContext, settings: Record<string, unknown>, options: Partial<SdkOptions> = {}) =>
	openPruning(t, settings, { files, ...options });

/** Tasks of two turns each: a read, another, a reply. */
const tasks = (count: number): SdkStep[] =>
	Array.from({ length: count }, (_, n) => [read(2 * n), read(2 * n + 1), { text: `Answer ${n}.` }]).flat();

async function prompts(sdk: Opened, count: number): Promise<void> {
	for (let n = 0; n < count; n++) await sdk.prompt(`Task ${n}.`);
	assert.deepEqual(sdk.errors, []);
}

/** The request that opens each prompt. */
const opening = (sdk: Opened) => sdk.of("agent").filter(({ messages }) => messages.at(-1)?.role === "user");
const textIn = (content: { type: string; text?: string }[]) => textOf({ role: "toolResult", content } as never);

describe("finished tasks", () => {
	for (const rollingWindow of [0, 1, 3])
		it(`become blocks but for the newest ${rollingWindow}, exactly`, async (t) => {
			const sdk = await open(t, { chainCompression: { rollingWindow } }, { agent: [...tasks(5), { text: "Bye." }] });
			await prompts(sdk, 6);
			assert.deepEqual(
				opening(sdk).map((request) => prunedOf(request).blocks.length),
				Array.from({ length: 6 }, (_, done) => Math.max(0, done - rollingWindow)),
			);
			for (const request of sdk.of("agent")) assert.deepEqual(problemsOf(request), []);
			assert.ok((await assertRecoverable(sdk, lastAgent(sdk))) >= 10, "every result of every task");
			assertRewrites(sdk);
		});

	it("leave prompt, one text and reply; the calls come back by ref, or all by the block's id", async (t) => {
		const sdk = await open(t, { chainCompression: { rollingWindow: 0 } }, { agent: [...tasks(1), { text: "Bye." }] });
		await prompts(sdk, 2);
		const { messages } = lastAgent(sdk);
		const spoken = messages.filter(({ role }) => role !== "system");
		assert.deepEqual(
			spoken.map((message) => `${message.role}: ${textOf(message).split("\n", 1)[0]?.slice(0, 42)}`),
			["user: Task 0.", 'user: <compressed-chain id="b1" tools="t1,t2">', "assistant: Answer 0.", "user: Task 1."],
		);
		for (const [n, content] of contents.slice(0, 2).entries()) {
			assert.ok(textIn(await recall(sdk, [`t${n + 1}`])).includes(content), `t${n + 1}`);
			assert.ok(textIn(await recall(sdk, ["b1"])).includes(content), "b1 has it too");
		}
	});

	it("are fetched back by the model itself, which then stays a while", async (t) => {
		const ask: SdkStep = { calls: [{ name: "context_tree_query", args: { toolCallIds: ["b1"] } }] };
		const agent = [...tasks(1), ask, { text: "Seen." }, { text: "Bye." }];
		const sdk = await open(t, { chainCompression: { rollingWindow: 0 } }, { agent });
		await prompts(sdk, 3);
		const answers = lastAgent(sdk).messages.filter((each) => each.role === "toolResult");
		assert.equal(answers.length, 1, "in its grace");
		for (const content of contents.slice(0, 2)) assert.ok(textOf(answers[0] as never).includes(content));
	});

	it("with nothing summarized get a plain account of the calls, and refs all the same (B7)", async (t) => {
		const settings = { chainCompression: { rollingWindow: 0 }, minBatchChars: 1_000_000 };
		const sdk = await open(t, settings, { agent: [...tasks(1), { text: "Bye." }] });
		await prompts(sdk, 2);
		assert.equal(sdk.of("summarizer").length, 0);
		const [block] = prunedOf(lastAgent(sdk)).blocks;
		assert.match(block?.body ?? "", /^Deterministic chain compression \(no per-batch summary existed/);
		assert.match(block?.body ?? "", /\nCalls: 2\nTools: read x2\n/);
		assert.deepEqual(block?.refs, ["t1", "t2"]);
		assert.equal(await assertRecoverable(sdk, lastAgent(sdk)), 2);
	});

	it("summarized in part lose nothing of the rest (B7)", async (t) => {
		const agent = [
			read(0),
			{ calls: [{ name: "bash", args: { command: `echo tiny # ${"and why ".repeat(40)}` } }] },
			{ text: "Done." },
		];
		const settings = { chainCompression: { rollingWindow: 0 } };
		const sdk = await open(t, settings, { agent: [...agent, { text: "Bye." }] });
		await prompts(sdk, 2);
		const [block] = prunedOf(lastAgent(sdk)).blocks;
		assert.deepEqual(block?.refs, ["t1", "t2"]);
		assert.match(block?.body ?? "", /\n\nAlso in this span:\n- `t2` bash \(OK, \d+ chars\)/);
		assert.match(textIn(await recall(sdk, ["t2"])), /\ntiny\n?/);
	});

	it("cut off by the next prompt become blocks once they are old", async (t) => {
		const sdk = await open(
			t,
			{ chainCompression: { rollingWindow: 1 } },
			{
				agent: [
					read(0),
					read(1),
					{ error: "overloaded for good" },
					...tasks(2).slice(3),
					...tasks(1),
					{ text: "Bye." },
				],
			},
		);
		sdk.session.setAutoRetryEnabled(false);
		await prompts(sdk, 4);
		const { blocks } = prunedOf(lastAgent(sdk));
		assert.deepEqual(
			blocks.map(({ hidden }) => hidden.filter(({ callId }) => callId !== undefined).length),
			[2, 2],
		);
		assert.deepEqual(problemsOf(lastAgent(sdk)), []);
		await assertRecoverable(sdk, lastAgent(sdk));
	});
});

describe("the text of a block", () => {
	const fused = "- Both files read: `t1`, `t2`.";
	const fusing =
		(step: SdkStep) =>
		(request: { messages: object[] }): SdkStep =>
			JSON.stringify(request.messages).includes("<sub-task-summaries>")
				? step
				: { text: "- looked at; nothing unusual." };

	// The summaries of a task come with its own flush: a fusion is asked for when the task leaves the window later.
	const settings = { chainCompression: { rollingWindow: 1 } };

	it("is the summarizer's where it made one of several", async (t) => {
		const agent = [...tasks(2), { text: "Bye." }];
		const sdk = await open(t, settings, { agent, summarizer: fusing({ text: fused }) });
		await prompts(sdk, 3);
		const [block] = prunedOf(lastAgent(sdk)).blocks;
		assert.equal(block?.body, fused);
		assert.equal((await assertRecoverable(sdk, lastAgent(sdk))) > 0, true);
	});

	it("is the summaries side by side where that failed", async (t) => {
		const agent = [...tasks(2), { text: "Bye." }];
		const sdk = await open(t, settings, { agent, summarizer: fusing({ error: "down" }) });
		await prompts(sdk, 3);
		const [block] = prunedOf(lastAgent(sdk)).blocks;
		assert.match(block?.body ?? "", /looked at[\s\S]*looked at/);
		assert.ok(!sdk.notices.some((line) => /failed/.test(line)), "and that is no failure to tell of");
	});
});

describe("protected output", () => {
	it("stands in its block word for word, and is found again after a resume", async (t) => {
		const agent = [read(0), read(1), read(2), { text: "Done." }, { text: "Bye." }];
		const settings = { chainCompression: { rollingWindow: 0 }, protectedPaths: ["**/1.txt"] };
		const sdk = await open(t, settings, { agent: [...agent, { text: "Still." }] });
		await prompts(sdk, 2);
		const check = (request: (typeof sdk.requests)[number]) => {
			const [block] = prunedOf(request).blocks;
			assert.ok(block?.body.includes(protectedText("read", contents[1] ?? "?")));
			assert.deepEqual(
				block?.relocated.map(({ text }) => text.includes(contents[1] ?? "?")),
				[true],
			);
			assert.deepEqual(block?.refs, ["t1", "t2"]);
		};
		check(lastAgent(sdk));
		const again = await resume(t, sdk, { mode: "rpc" });
		await again.prompt("Still there?");
		check(lastAgent(again));
	});
});

describe("an epoch entry cut out by hand", () => {
	it("opens, and shows its task again", async (t) => {
		const sdk = await open(t, { chainCompression: { rollingWindow: 0 } }, { agent: [...tasks(2), { text: "Bye." }] });
		await prompts(sdk, 3);
		assert.equal(prunedOf(lastAgent(sdk)).blocks.length, 2);
		// Cut out of the middle of the file: its children hang below its parent.
		const all = sdk.manager.getEntries();
		const cut = all.findLast((entry) => entry.type === "custom" && entry.customType === "context-prune-epoch");
		const entries = all
			.filter((entry) => entry !== cut)
			.map((entry) => (entry.parentId === cut?.id ? { ...entry, parentId: cut?.parentId ?? null } : entry));
		const again = await openSession(t, {
			entries: [sdk.manager.getHeader() as object, ...entries],
			settings: { contextPrune: { pruneOn: "on-demand" } },
			files,
		});
		await again.prompt("And now?");
		const { blocks } = prunedOf(lastAgent(again));
		assert.equal(blocks.length, 1, "the first stays");
		const shown = lastAgent(again).messages.filter((each) => each.role === "toolResult");
		assert.equal(shown.length, 2, "the second's results are there again");
		for (const [n, result] of shown.entries()) assert.ok(textOf(result).includes(contents[n + 2] ?? "?"));
		assert.deepEqual(again.errors, []);
	});
});
