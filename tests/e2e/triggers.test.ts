// What starts a flush in the middle of a task, whatever the provider says of the size, and what does not.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, describe, it, type TestContext } from "node:test";
import { file, pruning } from "../harness/fixtures.ts";
import { epochsOf, lastAgent, prunedOf } from "../harness/flushed.ts";
import { type Opened, openSession, resume } from "../harness/opened.ts";
import { extensionEntry, requireBuild } from "../harness/paths.ts";
import { startRpc } from "../harness/rpc.ts";
import { createSandbox } from "../harness/sandbox.ts";
import type { SdkStep } from "../harness/sdk.ts";
import { labelledSummary, type Step, startServer } from "../harness/server.ts";

requireBuild();
const server = await startServer();
after(() => server.close());

const window = 20_000;

/** Files of so many characters each; a token is four of them. */
const files = (sizes: readonly number[]) =>
	Object.fromEntries(sizes.map((size, n) => [`${n}.txt`, file(n + 100, "prose", size)]));

const read = (n: number): SdkStep => ({ calls: [{ name: "read", args: { path: `${n}.txt` } }] });

async function open(
	t: TestContext,
	settings: Record<string, unknown>,
	sizes: readonly number[],
	agent: SdkStep[],
): Promise<Opened> {
	return openSession(t, {
		settings: pruning({ pruneOn: "on-demand", ...settings }),
		files: files(sizes),
		contextWindow: window,
		mode: "rpc",
		agent,
	});
}

const triggers = (sdk: Opened) => epochsOf(sdk).map((epoch) => (epoch as { trigger?: string }).trigger);
const budgetLines = (sdk: Opened) => sdk.notices.filter((line) => /waiting turn|from before/.test(line));

describe("autoBudgetThreshold", () => {
	it("is reached in the second prompt's turns as in the first's, and stub and summary go out at once", async (t) => {
		// Defects B1 and B2 of the original: it numbered live turns anew in each prompt and flushed once there, and the
		// running process never saw the summary.
		const script = [read(0), read(1), read(2), { text: "One." }, read(3), read(4), read(5), { text: "Two." }];
		const sdk = await open(t, { autoBudgetThreshold: 0.01 }, Array(6).fill(3_000), script);
		await sdk.prompt("First.");
		assert.deepEqual(triggers(sdk), ["budget", "budget", "budget"]);
		await sdk.prompt("Second.");
		assert.deepEqual(triggers(sdk), Array(6).fill("budget"));
		const stubs = sdk.of("agent").map((request) => prunedOf(request).stubbed.length);
		assert.deepEqual(stubs, [0, 1, 2, 3, 3, 4, 5, 6]);
		assert.equal(budgetLines(sdk).length, 6);
		assert.match(
			budgetLines(sdk)[0] ?? "",
			/^pi-decant: the context budget is used up \((about )?[\d.]+k? tokens\); summarizing 1 waiting turn\.$/,
		);
		assert.deepEqual(sdk.errors, []);
	});

	it("is not reached below its share, and once a flush has made room it waits again", async (t) => {
		const script = [read(0), read(1), read(2), read(3), { text: "Done." }];
		const sdk = await open(t, { autoBudgetThreshold: 0.6 }, [4_000, 45_000, 4_000, 4_000], script);
		await sdk.prompt("Go.");
		assert.deepEqual(triggers(sdk), ["budget"], "after the second result");
		assert.deepEqual(
			sdk.of("agent").map((request) => prunedOf(request).stubbed.length),
			[0, 0, 2, 2, 2],
		);
	});

	it("with no share set, or with nothing to flush, does nothing", async (t) => {
		const off = await open(t, {}, [30_000], [read(0), { text: "Done." }]);
		await off.prompt("Go.");
		const idle = await open(t, { autoBudgetThreshold: 0.01 }, [], [{ text: "Done." }]);
		await idle.prompt("Go.");
		for (const sdk of [off, idle]) assert.deepEqual([triggers(sdk), sdk.of("summarizer").length], [[], 0]);
	});
});

describe("budgetTurnDelta", () => {
	it("is reached by a turn that adds much, not by the sum of small ones", async (t) => {
		const script = [read(0), read(1), read(2), read(3), { text: "Done." }];
		const sdk = await open(t, { budgetTurnDelta: 0.25 }, [6_000, 6_000, 6_000, 40_000], script);
		await sdk.prompt("Go.");
		assert.deepEqual(triggers(sdk), ["delta"]);
		assert.equal(prunedOf(lastAgent(sdk)).stubbed.length, 4);
		assert.match(budgetLines(sdk)[0] ?? "", /the context jumped in this turn .* summarizing 4 waiting turns/);
	});
});

describe("on-demand", () => {
	it("flushes at no reply", async (t) => {
		const sdk = await open(t, {}, [5_000], [read(0), { text: "Done." }]);
		await sdk.prompt("Go.");
		await sdk.prompt("Again.");
		assert.equal(sdk.of("summarizer").length, 0);
		await sdk.prompt("/pruner now");
		assert.deepEqual(triggers(sdk), ["now"]);
	});
});

describe("a provider that", () => {
	const says: Record<string, Step["usage"]> = {
		"reports no usage": null,
		"reports zero": { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
		"reports absurd figures": { prompt_tokens: 4e12, completion_tokens: 1, total_tokens: 4e12 },
	};
	for (const [what, usage] of Object.entries(says))
		it(`${what} neither fires a budget nor disables it`, async (t) => {
			server.reset();
			const step = (n: number): Step => ({
				calls: [{ name: "read", args: { path: `${n}.txt` } }],
				usage: usage ?? null,
			});
			server.script({
				agent: [step(0), step(1), step(2), { text: "Done.", usage: usage ?? null }],
				summarizer: labelledSummary,
			});
			const contextPrune = { flush: "blocking", pruneOn: "on-demand", autoBudgetThreshold: 0.5 };
			const sandbox = createSandbox({
				url: server.url,
				contextWindow: window,
				settings: { contextPrune, compaction: { enabled: false } },
				files: files([2_000, 30_000, 30_000]),
			});
			const rpc = startRpc(sandbox, { extensions: [extensionEntry] });
			t.after(() => sandbox.remove());
			await rpc.prompt("Go.");
			const kinds = server.requests.map(({ kind }) => kind);
			// 500 tokens of 10,000: not yet. 8,000: not yet. 15,500: flushed before the next request.
			assert.deepEqual(kinds, ["agent", "agent", "agent", "summarizer", "summarizer", "summarizer", "agent"]);
			assert.match(rpc.notices().join("\n"), /the context budget is used up \((about )?1\dk tokens\)/);
		});
});

describe("switching", () => {
	it("off, on and protection are epochs of their own where something pruned was sent, and nowhere else", async (t) => {
		const sdk = await open(t, { pruneOn: "agent-message" }, [5_000], [read(0), { text: "Done." }]);
		await sdk.prompt("/pruner off");
		await sdk.prompt("/pruner on");
		assert.deepEqual(epochsOf(sdk), [], "nothing was sent yet");
		await sdk.prompt("Go.");
		await sdk.prompt("More.");
		assert.equal(prunedOf(lastAgent(sdk)).stubbed.length, 1);
		await sdk.prompt("/pruner off");
		await sdk.prompt("Off?");
		assert.equal(prunedOf(lastAgent(sdk)).stubbed.length, 0);
		await sdk.prompt("/pruner on");
		await sdk.prompt("On?");
		assert.equal(prunedOf(lastAgent(sdk)).stubbed.length, 1);
		await sdk.prompt("/pruner off");
		await sdk.prompt("/pruner on");
		await sdk.prompt("Taken back before a request: nothing changed.");
		await sdk.prompt("/pruner protected-tools add read");
		await sdk.prompt("/pruner min-batch-chars 500");
		await sdk.prompt("Protected?");
		const reasons = epochsOf(sdk).map((epoch) => (epoch as { reason?: string }).reason);
		assert.deepEqual(reasons.slice(1), ["switched-off", "switched-on", "settings"]);
		assert.equal(prunedOf(lastAgent(sdk)).stubbed.length, 0, "protected now");
		assert.deepEqual(sdk.errors, []);
	});

	it("settings edited between two runs are an epoch with the first request, once", async (t) => {
		const sdk = await open(t, { pruneOn: "agent-message" }, [5_000], [read(0), { text: "Done." }]);
		await sdk.prompt("Go.");
		await sdk.prompt("More.");
		assert.equal(prunedOf(lastAgent(sdk)).stubbed.length, 1);
		const { settingsPath } = sdk.sandbox;
		const settings = JSON.parse(readFileSync(settingsPath, "utf8")) as { contextPrune: object };
		settings.contextPrune = { ...settings.contextPrune, protectedTools: ["read"] };
		writeFileSync(settingsPath, JSON.stringify(settings));
		const again = await resume(t, sdk, { mode: "rpc", agent: [{ text: "One." }, { text: "Two." }] });
		await again.prompt("Protected?");
		assert.equal(prunedOf(lastAgent(again)).stubbed.length, 0, "protected now");
		await again.prompt("Still?");
		const reasons = epochsOf(again).map((epoch) => (epoch as { reason?: string }).reason);
		assert.deepEqual(reasons, ["flush", "settings"]);
		assert.deepEqual([...sdk.errors, ...again.errors], []);
	});
});
