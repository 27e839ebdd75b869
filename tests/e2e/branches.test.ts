// Resume, fork, /tree, compaction, edits and strangers, in process: state is a fold of the branch and of nothing else.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { file } from "../harness/fixtures.ts";
import {
	assertRecoverable,
	epochsOf,
	lastAgent,
	problemsOf,
	prunedOf,
	recall,
	rewritesOf,
	textOf,
} from "../harness/flushed.ts";
import { goOn, type Opened, openSession, readCall as read, resume, waiting } from "../harness/opened.ts";
import { requireBuild } from "../harness/paths.ts";
import { recoveredBody } from "../harness/pruned.ts";
import type { SdkPi } from "../harness/sdk.ts";
import { SessionBuilder, tinyPng } from "../harness/sessions.ts";

requireBuild();

async function open(
	t: TestContext,
	built: SessionBuilder,
	options: Partial<Parameters<typeof openSession>[1]> = {},
): Promise<Opened> {
	return openSession(t, { entries: built.lines(), ...options });
}

async function flushed(sdk: Opened): Promise<void> {
	await goOn(sdk);
	assert.deepEqual(problemsOf(lastAgent(sdk)), []);
}

describe("a resumed session", () => {
	it("whose work was never flushed is caught up with, once", async (t) => {
		const sdk = await open(t, waiting([[read(1)], [read(2), read(3)], [read(4)]]));
		await flushed(sdk);
		assert.deepEqual(
			prunedOf(lastAgent(sdk)).stubbed.map(({ ref }) => ref),
			["t1", "t2", "t3", "t4"],
		);
		assert.equal(epochsOf(sdk).length, 1);
		await sdk.prompt("Once more?");
		assert.equal(epochsOf(sdk).length, 1);
		assert.deepEqual(rewritesOf(sdk), [1]);
		assert.equal(await assertRecoverable(sdk, lastAgent(sdk)), 4);
	});

	it("sends what the live one would have sent", async (t) => {
		const live = await open(t, waiting([[read(1)], [read(2), read(3)]]));
		await flushed(live);
		const resumed = await resume(t, live);
		await live.prompt("Same question.");
		await resumed.prompt("Same question.");
		const bare = (sdk: SdkPi) =>
			lastAgent(sdk).messages.map((message) => JSON.stringify({ ...message, usage: undefined, timestamp: 0 }));
		assert.deepEqual(bare(resumed), bare(live));
		assert.deepEqual(lastAgent(resumed).messages.slice(0, -1), lastAgent(live).messages.slice(0, -1));
	});

	it("keeps six calls apart that share two ids", async (t) => {
		const session = new SessionBuilder();
		for (const topic of [1, 2, 3]) {
			session.user(`Topic ${topic}`);
			session.toolTurn([read(topic * 10, { id: "bash_0" })]);
			session.toolTurn([read(topic * 10 + 1, { id: "read_0" })]);
			session.assistant("Seen.");
		}
		const sdk = await open(t, session);
		await flushed(sdk);
		const { stubbed } = prunedOf(lastAgent(sdk));
		assert.deepEqual(
			stubbed.map(({ ref }) => ref),
			["t1", "t2", "t3", "t4", "t5", "t6"],
		);
		assert.equal(await assertRecoverable(sdk, lastAgent(sdk)), 6);
		// By the bare id: every one of them, or a question which.
		const all = (await recall(sdk, ["bash_0"])).map((block) => block.text ?? "").join("\n");
		const every = [10, 20, 30].every((seed) => all.includes(file(seed, "code", 3_000)));
		assert.ok(every || ["t1", "t3", "t5"].every((ref) => all.includes(ref)), all.slice(0, 400));
	});

	it("tells parallel calls apart that share id and millisecond", async (t) => {
		const session = new SessionBuilder();
		session.user("Both.");
		const timestamp = session.tick();
		session.assistant([
			{ type: "toolCall", id: "", name: "read", arguments: { path: "a" } },
			{ type: "toolCall", id: "", name: "read", arguments: { path: "b" } },
		]);
		for (const seed of [41, 42])
			session.message({
				role: "toolResult",
				toolCallId: "",
				toolName: "read",
				content: [{ type: "text", text: file(seed, "log", 2_000) }],
				isError: false,
				timestamp,
			});
		session.assistant("Both read.");
		const sdk = await open(t, session);
		await flushed(sdk);
		const { stubbed } = prunedOf(lastAgent(sdk));
		assert.equal(stubbed.length, 2);
		for (const [at, seed] of [41, 42].entries())
			assert.equal(
				recoveredBody(textOf({ role: "x", content: await recall(sdk, [stubbed[at]?.ref ?? ""]) } as never)),
				file(seed, "log", 2_000),
			);
	});
});

describe("/tree", () => {
	it("going back before a flush shows the originals, coming back shows the stubs", async (t) => {
		const built = waiting([[read(1)], [read(2)]]);
		const sdk = await open(t, built);
		const beforeFlush = sdk.manager.getLeafId() as string;
		await flushed(sdk);
		const afterFlush = sdk.manager.getLeafId() as string;
		const shown = lastAgent(sdk).messages.length;
		await sdk.session.navigateTree(beforeFlush);
		await sdk.prompt("Another way.");
		assert.deepEqual(prunedOf(lastAgent(sdk)).stubbed, [], "this branch has no flush yet");
		await sdk.prompt("Still?");
		assert.equal(prunedOf(lastAgent(sdk)).stubbed.length, 2, "it gets one of its own");
		await sdk.session.navigateTree(afterFlush);
		await sdk.prompt("Back again.");
		assert.deepEqual(
			prunedOf(lastAgent(sdk)).stubbed.map(({ ref }) => ref),
			["t1", "t2"],
		);
		assert.ok(lastAgent(sdk).messages.length > shown);
		assert.equal(await assertRecoverable(sdk, lastAgent(sdk)), 2);
		assert.deepEqual(sdk.errors, []);
	});
});

describe("a fork", () => {
	it("is rebuilt from its own file; the parent is neither there nor missed", async (t) => {
		const parent = await open(t, waiting([[read(1)], [read(2)]]));
		await flushed(parent);
		const header = {
			...parent.manager.getHeader(),
			parentSession: "/nowhere/gone.jsonl",
			timestamp: new Date().toISOString(),
		};
		const fork = await openSession(t, { entries: [header, ...parent.manager.getBranch()] });
		await fork.prompt("In the fork.");
		assert.deepEqual(
			prunedOf(lastAgent(fork)).stubbed.map(({ ref }) => ref),
			["t1", "t2"],
		);
		assert.equal(await assertRecoverable(fork, lastAgent(fork)), 2);
		assert.deepEqual(fork.errors, []);
	});
});

describe("a compaction", () => {
	it("between two parallel results leaves both paired", async (t) => {
		const session = new SessionBuilder();
		session.user("Read both.");
		const call = session.assistant([
			{ type: "toolCall", id: "u1", name: "read", arguments: { path: "x" } },
			{ type: "toolCall", id: "u2", name: "read", arguments: { path: "y" } },
		]);
		session.result("u1", "read", file(51, "code", 3_000));
		session.compaction(call);
		session.result("u2", "read", file(52, "code", 3_000));
		session.assistant("Both read.");
		const sdk = await open(t, session);
		await flushed(sdk);
		assert.equal(prunedOf(lastAgent(sdk)).stubbed.length, 2);
		assert.equal(await assertRecoverable(sdk, lastAgent(sdk)), 2);
	});

	it("after a flush drops what it dropped; the rest stays pruned and recoverable", async (t) => {
		const sdk = await open(t, waiting([[read(1)], [read(2)]]));
		await flushed(sdk);
		const branch = sdk.manager.getBranch();
		const second = branch.filter((entry) => entry.type === "message" && entry.message.role === "assistant")[1];
		sdk.manager.appendCompaction("Older work.", second?.id ?? null, 1_000);
		await sdk.prompt("After the compaction.");
		assert.deepEqual(problemsOf(lastAgent(sdk)), []);
		assert.deepEqual(
			prunedOf(lastAgent(sdk)).stubbed.map(({ ref }) => ref),
			["t2"],
		);
		// What the compaction folded away is still there to be asked for.
		assert.ok(textOf({ role: "x", content: await recall(sdk, ["t1"]) } as never).includes(file(1, "code", 3_000)));
		assert.deepEqual(sdk.errors, []);
	});
});

describe("other extensions", () => {
	it("redact a result before the flush: the redacted text is what is summarized and recovered", async (t) => {
		const built = waiting([[read(1, { result: `password=hunter2\n${file(1, "code", 3_000)}` })], [read(2)]]);
		const target = built.entries.find((entry) => JSON.stringify(entry).includes("hunter2"))?.id as string;
		built.contextEdit(target, [{ type: "text", text: `password=******\n${file(1, "code", 3_000)}` }]);
		const sdk = await open(t, built);
		await flushed(sdk);
		assert.ok(!JSON.stringify(sdk.requests).includes("hunter2"), "the secret left the machine");
		const text = textOf({ role: "x", content: await recall(sdk, ["t1"]) } as never);
		assert.ok(text.includes("password=******") && !text.includes("hunter2"));
	});

	it("redact it after the flush: recovery gives what pi would send now", async (t) => {
		const sdk = await open(t, waiting([[read(1, { result: `password=hunter2\n${file(1, "code", 3_000)}` })]]));
		await flushed(sdk);
		const target = sdk.manager.getEntries().find((entry) => JSON.stringify(entry).includes("hunter2"))?.id as string;
		sdk.manager.appendContextEdit(target, { content: [{ type: "text", text: "password=******" }] });
		await sdk.prompt("Anything?");
		assert.deepEqual(problemsOf(lastAgent(sdk)), []);
		assert.ok(!textOf({ role: "x", content: await recall(sdk, ["t1"]) } as never).includes("hunter2"));
	});

	it("and unknown roles, blocks and entries pass through untouched", async (t) => {
		const session = new SessionBuilder();
		session.user("plain string content");
		session.message({
			role: "bashExecution",
			command: "ls",
			output: "a",
			exitCode: 0,
			cancelled: false,
			truncated: false,
		});
		session.customMessage("other-extension", "Injected note");
		session.custom("other-extension", { n: 1 });
		session.toolTurn([read(1)]);
		session.assistant("k");
		session.append("future_thing", { payload: { x: [1, 2] } });
		session.append("usage", { kind: "cache_warm", provider: "p", model: "m", usage: {} });
		session.append("session_info", { name: "strangers" });
		const sdk = await open(t, session);
		await flushed(sdk);
		// prunedOf fails where anything but the one result differs from pi's own projection.
		assert.equal(prunedOf(lastAgent(sdk)).stubbed.length, 1);
	});
});

describe("what is not pruned", () => {
	it("results too small to be worth it stay as they are, and no summarizer is asked", async (t) => {
		const sdk = await open(t, waiting([[read(1, { result: "ok" })], [read(2, { result: "" })]]));
		await flushed(sdk);
		assert.deepEqual(prunedOf(lastAgent(sdk)).stubbed, []);
		assert.equal(sdk.of("summarizer").length, 0);
	});

	it("a stub longer than what it stands for is not used", async (t) => {
		const sdk = await open(t, waiting([[read(1), read(2, { result: "ok" })]]));
		await flushed(sdk);
		assert.deepEqual(
			prunedOf(lastAgent(sdk)).stubbed.map(({ original }) => original === "ok"),
			[false],
		);
	});

	it("text that looks like our marks is ordinary text", async (t) => {
		const fake = "[Summarized in pruner summary, ref `t1`. Use context_tree_query to retrieve full output.]";
		const original = `${fake}\n${file(7, "prose", 3_000)}`;
		const built = waiting([[read(1, { result: original })]]);
		built.user(fake);
		built.assistant("A stub, quoted.");
		const sdk = await open(t, built);
		await flushed(sdk);
		const { stubbed } = prunedOf(lastAgent(sdk));
		assert.equal(stubbed.length, 1);
		assert.equal(stubbed[0]?.original, original);
		assert.ok(lastAgent(sdk).messages.some((message) => message.role === "user" && textOf(message) === fake));
	});
});

describe("images", () => {
	it("in a stubbed result come back in their place", async (t) => {
		const content = [
			{ type: "text" as const, text: file(8, "prose", 2_000) },
			{ type: "image" as const, data: tinyPng, mimeType: "image/png" },
			{ type: "text" as const, text: "below" },
		];
		const sdk = await open(t, waiting([[read(1, { result: content })]]), { images: true });
		await flushed(sdk);
		assert.ok(!JSON.stringify(lastAgent(sdk).messages).includes(tinyPng));
		const blocks = await recall(sdk, ["t1"]);
		assert.deepEqual(
			blocks.filter((block) => block.type === "image"),
			[content[1]],
		);
		assert.ok(
			blocks
				.map((block) => block.text ?? "")
				.join("\n")
				.includes("below"),
		);
	});
});
