// What ages with a flush: arguments of failed calls, by occurrence, and thinking, where the provider's rules let it go.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { file } from "../harness/fixtures.ts";
import { assertRecoverable, assertRewrites, epochsOf, lastAgent, prunedOf, textOf } from "../harness/flushed.ts";
import { goOn, type Opened, openPruning, resume } from "../harness/opened.ts";
import { requireBuild } from "../harness/paths.ts";
import type { SdkStep } from "../harness/sdk.ts";
import { type CallSpec, SessionBuilder } from "../harness/sessions.ts";

requireBuild();

const long = (seed: number) => ({ path: `src/${seed}.ts`, newText: file(seed, "code", 2_000) });
const edit = (seed: number, more: Partial<CallSpec>): CallSpec => ({
	name: "edit",
	id: "edit_0",
	args: long(seed),
	result: file(seed + 50, "log", 1_500),
	...more,
});

/** Every call has the id `edit_0`; the first fails, and so does the last of all. */
function failing(): SessionBuilder {
	const session = new SessionBuilder();
	session.user("Mend it.");
	session.toolTurn([edit(1, { isError: true })]);
	session.toolTurn([edit(2, {})]);
	session.toolTurn([edit(3, {})]);
	session.assistant("Mended.");
	session.user("And the other.");
	session.toolTurn([edit(4, { isError: true })]);
	session.assistant("Not yet.");
	return session;
}

describe("arguments of a failed call", () => {
	it("are replaced once it has cooled down, by occurrence (B8), though its result is a stub (B3)", async (t) => {
		const sdk = await openPruning(t, { purgeErrors: { cooldownTurns: 3 } }, { entries: failing().lines() });
		await goOn(sdk);
		const { purged, stubbed } = prunedOf(lastAgent(sdk));
		assert.deepEqual(
			purged.map(({ original }) => JSON.parse(original)),
			[long(1)],
			"the later calls of the same id keep theirs, and so does the failure that is still warm",
		);
		assert.ok(
			stubbed.some(({ ref }) => ref === purged[0]?.ref),
			"its result is a stub of the same ref",
		);
		assert.ok((await assertRecoverable(sdk, lastAgent(sdk))) > stubbed.length);
		await sdk.prompt("Again.");
		await sdk.prompt("And again.");
		assert.equal(prunedOf(lastAgent(sdk)).purged.length, 1, "nothing flushed, nothing aged");
		assertRewrites(sdk);
		const again = await resume(t, sdk);
		await again.prompt("And again.");
		assert.deepEqual(
			prunedOf(lastAgent(again)).purged.map(({ ref }) => ref),
			purged.map(({ ref }) => ref),
		);
	});

	it("stay where they are short, where the user wants it, and in a task under way", async (t) => {
		for (const purgeErrors of [{ enabled: false }, { minArgChars: 100_000 }, { cooldownTurns: 50 }]) {
			const sdk = await openPruning(t, { purgeErrors }, { entries: failing().lines() });
			await goOn(sdk);
			assert.deepEqual(prunedOf(lastAgent(sdk)).purged, []);
		}
		const agent: SdkStep[] = [
			{
				calls: [{ name: "edit", args: { path: "none.txt", edits: [{ oldText: file(9, "code", 900), newText: "x" }] } }],
			},
			...Array.from({ length: 4 }, (): SdkStep => ({ calls: [{ name: "bash", args: { command: "seq 1000" } }] })),
		];
		const sdk = await openPruning(t, { autoBudgetThreshold: 0.001 }, { agent, contextWindow: 20_000 });
		await sdk.prompt("Try.");
		assert.ok(epochsOf(sdk).length > 0);
		for (const request of sdk.of("agent")) assert.deepEqual(prunedOf(request).purged, []);
	});

	it("age with every turn where that is asked for", async (t) => {
		const settings = { pruneOn: "on-demand", purgeErrors: { timing: "live" } };
		const sdk = await openPruning(t, settings, { entries: failing().lines() });
		await goOn(sdk);
		const { purged, stubbed } = prunedOf(lastAgent(sdk));
		assert.deepEqual(stubbed, []);
		assert.deepEqual(
			purged.map(({ original }) => JSON.parse(original)),
			[long(1), long(4)],
		);
		assert.deepEqual(epochsOf(sdk), []);
	});
});

describe("a call whose arguments are a mark", () => {
	it("is not run, and the model is told where the original is", async (t) => {
		const mark = '<purged-errored-args size="2054" ref="t1"/>';
		const agent: SdkStep[] = [
			{ calls: [{ name: "write", args: { path: "out.txt", content: mark } }] },
			{ calls: [{ name: "write", args: { _purged: mark } }] },
			{ calls: [{ name: "bash", args: { command: "touch ran", _purged: mark } }] },
			{ calls: [{ name: "write", args: { path: "about.txt", content: `What ${mark} means.` } }] },
			{ text: "Done." },
		];
		const sdk = await openPruning(t, {}, { agent });
		await sdk.prompt("Write it.");
		const results = lastAgent(sdk).messages.filter((message) => message.role === "toolResult");
		assert.deepEqual(
			results.map(({ isError }) => isError),
			[true, true, true, false],
		);
		for (const at of [0, 2])
			assert.match(textOf(results[at] as never), /Not run: .*context_tree_query with \["t1"\] shows the original/);
		assert.ok(!existsSync(join(sdk.sandbox.cwd, "out.txt")) && !existsSync(join(sdk.sandbox.cwd, "ran")));
		assert.equal(readFileSync(join(sdk.sandbox.cwd, "about.txt"), "utf8"), `What ${mark} means.`);
	});
});

describe("old thinking", () => {
	const thought = (n: number) => ({ thinking: `Thought ${n}: ${file(n, "prose", 300)}` });
	const read = (n: number): SdkStep => ({
		...thought(n),
		calls: [{ name: "bash", args: { command: `seq ${n} 900` } }],
	});
	/** Two finished tasks, then one under way. */
	const agent: SdkStep[] = [
		read(1),
		read(2),
		{ ...thought(3), text: "One." },
		read(4),
		{ ...thought(5), text: "Two." },
		...[6, 7, 8, 9].map(read),
		{ ...thought(10), text: "Three." },
	];

	async function thinkingLeft(
		t: TestContext,
		speaker: { api: string; model: string },
		thinkingStrip: Record<string, unknown> = {},
	): Promise<{ sdk: Opened; gone: number[][] }> {
		const settings = { thinkingStrip: { keepLastTurns: 2, ...thinkingStrip }, autoBudgetThreshold: 0.001 };
		const sdk = await openPruning(t, settings, { agent, contextWindow: 20_000, ...speaker });
		for (const text of ["First.", "Second.", "Third."]) await sdk.prompt(text);
		assert.deepEqual(sdk.errors, []);
		const gone = sdk.of("agent").map((request) => {
			const lastPrompt = request.projection.findLastIndex(({ role }) => role === "user");
			const { unthinking, blocks } = prunedOf(request);
			assert.deepEqual(blocks, []);
			if (thinkingStrip.policy !== "always")
				for (const at of unthinking) assert.ok(at < lastPrompt, "the cycle under way keeps all of its thinking");
			return unthinking;
		});
		return { sdk, gone };
	}

	it("goes in whole closed cycles for a model that carries it along, and never comes back", async (t) => {
		const { sdk, gone } = await thinkingLeft(t, { api: "anthropic-messages", model: "claude-opus-4-5" });
		const counts = gone.map(({ length }) => length);
		assert.deepEqual(
			counts,
			counts.toSorted((a, b) => a - b),
			"monotonic",
		);
		assert.ok((counts.at(-1) ?? 0) >= 4, `${counts}`);
		assertRewrites(sdk);
	});

	it("stays where the provider drops it itself, and where its rules are not known", async (t) => {
		for (const speaker of [
			{ api: "anthropic-messages", model: "claude-sonnet-4-5" },
			{ api: "anthropic-messages", model: "somebody-else" },
			{ api: "some-api", model: "claude-opus-4-5" },
			{ api: "google-generative-ai", model: "gemini-3-pro" },
		]) {
			const { gone } = await thinkingLeft(t, speaker);
			assert.deepEqual(gone.flat(), [], `${speaker.api} ${speaker.model}`);
		}
	});

	it("stays where that is switched off; goes everywhere but in the newest where that is asked for", async (t) => {
		const opus = { api: "anthropic-messages", model: "claude-opus-4-5" };
		assert.deepEqual((await thinkingLeft(t, opus, { enabled: false })).gone.flat(), []);
		const { gone } = await thinkingLeft(t, { api: "some-api", model: "some-model" }, { policy: "always" });
		assert.ok((gone.at(-1)?.length ?? 0) > 4);
		const live = await thinkingLeft(t, { api: "some-api", model: "x" }, { policy: "always", boundary: "live" });
		const assistants = live.sdk
			.of("agent")
			.map(({ projection }) => projection.filter(({ role }) => role === "assistant"));
		assert.deepEqual(
			live.gone.map(({ length }) => length),
			assistants.map(({ length }) => Math.max(0, length - 2)),
			"all but the last two, at every request",
		);
	});
});
