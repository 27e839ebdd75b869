// A summarizer that is down, slow, useless or taken back: the originals stay, one line says so, and it is paid for.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { file } from "../harness/fixtures.ts";
import { epochsOf, lastAgent, prunedOf } from "../harness/flushed.ts";
import { type Opened, openSession, waiting } from "../harness/opened.ts";
import { requireBuild } from "../harness/paths.ts";
import type { SdkRequest, SdkStep } from "../harness/sdk.ts";
import { SessionBuilder, tinyPng } from "../harness/sessions.ts";
import { aMoment, never, until } from "../harness/waiting.ts";

requireBuild();

interface Options {
	summarizer: (request: SdkRequest, index: number) => SdkStep;
	settings?: Record<string, unknown>;
	built?: SessionBuilder;
	batches?: number;
}

async function open(t: TestContext, options: Options): Promise<Opened> {
	return openSession(t, {
		entries: (options.built ?? waiting(options.batches ?? 2)).lines(),
		settings: { contextPrune: { flush: "blocking", ...options.settings }, retry: { enabled: false } },
		models: ["cheap"],
		mode: "rpc",
		summarizer: options.summarizer,
	});
}

const asked = (sdk: Opened) => sdk.of("summarizer").map(({ model }) => model);
const ours = (sdk: Opened) => sdk.notices.filter((line) => !/\/pruner off/.test(line));
const stubs = (sdk: Opened) => prunedOf(lastAgent(sdk)).stubbed.map(({ ref }) => ref);

const cheap = { summarizerModel: "faux/cheap", summarizerConcurrency: 1 };
const answer = (text = "- [[1:read]] looked at.") => ({ text });

describe("an outage of the configured summarizer", () => {
	it("is bridged by the session's model, told once, and the dead one is not waited for again", async (t) => {
		const sdk = await open(t, {
			settings: cheap,
			summarizer: ({ model }) => (model === "cheap" ? { error: "503 overloaded" } : answer()),
		});
		await sdk.prompt("Go on.");
		assert.deepEqual(asked(sdk), ["cheap", "faux-1", "faux-1"]);
		assert.deepEqual(ours(sdk), [
			"pi-decant: the summarizer is down (faux/cheap failed: 503 overloaded). faux/faux-1 summarizes until faux/cheap is back, which is tried every 10 minutes; /pruner model chooses another.",
		]);
		await sdk.prompt("And now?");
		assert.deepEqual(stubs(sdk), ["t1", "t2"]);
		assert.deepEqual(sdk.errors, []);
	});

	it("with the session's model down as well: one line with both, the originals stay, the next flush tries again", async (t) => {
		let broken = true;
		const sdk = await open(t, {
			settings: cheap,
			batches: 1,
			summarizer: () => (broken ? { error: "network unreachable" } : answer()),
		});
		await sdk.prompt("Go on.");
		await sdk.prompt("Still?");
		assert.deepEqual(stubs(sdk), []);
		assert.match(
			ours(sdk)[0] ?? "",
			/^pi-decant: summarizing failed \(faux\/cheap failed: network unreachable; faux\/faux-1 failed: network unreachable\)\. Nothing was pruned; the next flush tries again\. \/pruner model chooses another summarizer\.$/,
		);
		broken = false;
		await sdk.prompt("And now?");
		assert.match(ours(sdk).at(-1) ?? "", /^pi-decant: the summarizer is down/, "the warning that was owed");
		await sdk.prompt("Again.");
		assert.deepEqual(stubs(sdk), ["t1"]);
		assert.deepEqual(sdk.errors, []);
	});

	it("of a provider pi cannot use is named, and is not taken for an outage", async (t) => {
		const sdk = await open(t, {
			settings: { summarizerModel: "anthropic/claude-haiku-4-5" },
			summarizer: () => answer(),
		});
		await sdk.prompt("Go on.");
		assert.deepEqual(asked(sdk), []);
		assert.equal(ours(sdk).length, 1);
		assert.match(ours(sdk)[0] ?? "", /anthropic\/claude-haiku-4-5 cannot be used: .*Nothing was pruned/);
	});

	it("that is no model at all is named once, and the session's model is used", async (t) => {
		const sdk = await open(t, { settings: { summarizerModel: "faux/none" }, summarizer: () => answer() });
		await sdk.prompt("Go on.");
		assert.deepEqual(asked(sdk), ["faux-1", "faux-1"]);
		assert.deepEqual(ours(sdk), [
			'pi-decant: the summarizer model "faux/none" is not one pi knows (expected "provider/id"); using faux/faux-1. /pruner model sets another.',
		]);
	});
});

describe("a slow summarizer", () => {
	it("that is silent is given up after the idle time-out, and its request is taken back", async (t) => {
		const sdk = await open(t, {
			settings: { summarizerIdleTimeoutMs: 150 },
			batches: 1,
			summarizer: () => ({ text: "late", after: never }),
		});
		await sdk.prompt("Go on.");
		assert.match(ours(sdk)[0] ?? "", /faux\/faux-1 was silent for 0\.15 s/);
		await until("the request to be taken back", () => sdk.of("summarizer")[0]?.aborted === true);
		await sdk.prompt("And now?");
		assert.deepEqual(stubs(sdk), []);
		assert.deepEqual(sdk.errors, []);
	});

	it("is given up at the ceiling though it is not silent", async (t) => {
		// The faux provider's first event comes with its answer: the idle clock is off, the ceiling is not.
		const sdk = await open(t, {
			settings: { summarizerIdleTimeoutMs: 0, summarizerMaxTimeoutMs: 200 },
			batches: 1,
			summarizer: () => ({ text: "late", after: never }),
		});
		await sdk.prompt("Go on.");
		assert.match(ours(sdk)[0] ?? "", /faux\/faux-1 took longer than 0\.2 s/);
		assert.equal(epochsOf(sdk).length, 0);
	});

	it("with both time-outs off is waited for", async (t) => {
		const held = Promise.withResolvers<void>();
		const sdk = await open(t, {
			settings: { summarizerIdleTimeoutMs: 0, summarizerMaxTimeoutMs: 0 },
			summarizer: () => ({ ...answer(), after: held.promise }),
		});
		const run = sdk.prompt("Go on.");
		await until("both summaries to be asked for", () => sdk.of("summarizer").length === 2);
		await aMoment();
		assert.equal(epochsOf(sdk).length, 0);
		held.resolve();
		await run;
		assert.equal(epochsOf(sdk).length, 1);
	});

	it("is asked for several batches at once, as many as is set", async (t) => {
		for (const [summarizerConcurrency, expected] of [
			[1, 1],
			[3, 3],
			[8, 5],
		] as const) {
			// Each answer is held until as many are asked for as may be.
			const held: (() => void)[] = [];
			let most = 0;
			const sdk = await open(t, {
				settings: { summarizerConcurrency },
				batches: 5,
				summarizer: () => {
					const { promise, resolve } = Promise.withResolvers<void>();
					most = Math.max(most, held.push(resolve));
					return { ...answer(), after: promise };
				},
			});
			const run = sdk.prompt("Go on.");
			for (let left = 5; left > 0; left--) {
				await until(`${expected} at once, ${left} left`, () => held.length >= Math.min(expected, left));
				if (left === 5) await aMoment(50);
				held.shift()?.();
			}
			await run;
			assert.equal(most, expected, `summarizerConcurrency ${summarizerConcurrency}`);
			assert.equal(epochsOf(sdk).length, 1);
		}
	});
});

describe("an answer that is no summary", () => {
	const answers: Record<string, { step: SdkStep; words: RegExp }> = {
		empty: { step: { text: " \n" }, words: /gave an empty summary/ },
		"only labels": { step: { text: "- [[1:read]]\n" }, words: /gave labels without a summary/ },
		"a tool call": { step: { text: "I look.", calls: [{ name: "read", args: {} }] }, words: /called a tool/ },
		"cut by length": {
			step: { text: "- [[1:read]] half a", stopReason: "length" },
			words: /ran into its output limit/,
		},
		"only thinking": { step: { thinking: "hm", text: "" }, words: /gave an empty summary/ },
	};
	for (const [what, { step, words }] of Object.entries(answers))
		it(`${what}: the original stays, one line, the model is not taken for dead`, async (t) => {
			let useless = true;
			const sdk = await open(t, { settings: cheap, batches: 1, summarizer: () => (useless ? step : answer()) });
			await sdk.prompt("Go on.");
			assert.deepEqual(asked(sdk), ["cheap"]);
			assert.equal(ours(sdk).length, 1, ours(sdk).join("\n"));
			assert.match(ours(sdk)[0] ?? "", words);
			assert.match(
				ours(sdk)[0] ?? "",
				/faux\/cheap.*Nothing was pruned; the next flush tries again\. \/pruner model chooses another summarizer\.$/,
			);
			assert.equal(epochsOf(sdk).length, 0);
			useless = false;
			await sdk.prompt("Still?");
			assert.deepEqual(asked(sdk), ["cheap", "cheap"]);
			await sdk.prompt("And now?");
			assert.deepEqual(stubs(sdk), ["t1"]);
		});

	it("for one batch of several: the others are pruned, the line says what failed", async (t) => {
		const sdk = await open(t, {
			batches: 3,
			settings: { summarizerConcurrency: 1 },
			summarizer: (_request, index) => (index === 1 ? { text: "" } : answer()),
		});
		await sdk.prompt("Go on.");
		assert.match(
			ours(sdk)[0] ?? "",
			/^pi-decant: 1 batch failed and will be tried again \(faux\/faux-1 gave an empty summary\)\. \/pruner model/,
		);
		assert.equal(epochsOf(sdk).length, 1);
	});
});

describe("what summaries cost", () => {
	it("goes to cost:external after each flush: totals of this session, failed calls included", async (t) => {
		const sdk = await open(t, {
			batches: 2,
			settings: { summarizerConcurrency: 1 },
			summarizer: (_request, index) => (index === 0 ? { text: " " } : answer()),
		});
		const seen: { source: string; totalCost: number; inputTokens: number; outputTokens: number }[] = [];
		sdk.bus.on("cost:external", (data) => seen.push(data as (typeof seen)[number]));
		await sdk.prompt("Go on.");
		assert.equal(seen.length, 1);
		const tokens = (request: SdkRequest | undefined) =>
			Math.ceil((JSON.stringify(request?.messages[0]?.content).length - 2) / 4);
		const [first, second] = sdk.of("summarizer");
		const both = tokens(first) + tokens(second);
		const { source, inputTokens } = seen[0] ?? { source: "", inputTokens: 0 };
		assert.equal(source, "pi-decant");
		assert.ok(Math.abs(inputTokens - both) < both * 0.1, `${inputTokens} tokens told, about ${both} sent`);
		await sdk.prompt("And now?");
		assert.equal(seen.length, 2, "the batch that failed was tried again");
		assert.ok((seen[1]?.inputTokens ?? 0) > inputTokens && seen[1]?.source === "pi-decant");
		await sdk.prompt("Nothing left to do.");
		assert.equal(seen.length, 2, "no calls, no news");
	});
});

describe("a prompt for the summarizer", () => {
	it("never carries an image's bytes", async (t) => {
		const built = new SessionBuilder();
		built.user("Look.");
		const big = tinyPng.repeat(200);
		built.toolTurn([
			{
				name: "read",
				args: { path: "shot.png" },
				result: [
					{ type: "text", text: file(3, "prose", 2_000) },
					{ type: "image", data: big, mimeType: "image/png" },
				],
			},
		]);
		built.assistant("Seen.");
		const sdk = await open(t, { built, summarizer: () => answer() });
		await sdk.prompt("Go on.");
		const prompt = JSON.stringify(sdk.of("summarizer")[0]?.messages);
		assert.ok(prompt.length > 1_000 && !prompt.includes(tinyPng.slice(0, 60)));
	});
});

describe("an abort", () => {
	it("of the turn ends a blocking flush and leaves everything as it was; nothing is started after it", async (t) => {
		const sdk = await open(t, { batches: 1, summarizer: () => ({ text: "late", after: never }) });
		const run = sdk.prompt("Go on.");
		await until("the summarizer to be asked", () => sdk.of("summarizer").length === 1);
		await sdk.session.abort();
		await run;
		assert.equal(sdk.of("summarizer")[0]?.aborted, true);
		assert.equal(epochsOf(sdk).length, 0);
		assert.deepEqual(sdk.errors, []);
		assert.equal(sdk.of("summarizer").length, 1);
	});

	it("or an error of the agent's own reply starts no flush (report 76)", async (t) => {
		const sdk = await open(t, { summarizer: () => answer() });
		await sdk.dispose();
		const failing = await openSession(t, {
			entries: waiting(1).lines(),
			settings: { contextPrune: { flush: "blocking" }, retry: { enabled: false } },
			agent: [{ error: "400 bad request" }, { text: "fine" }],
			summarizer: () => answer(),
		});
		await failing.prompt("Go on.");
		assert.equal(failing.of("summarizer").length, 0);
		await failing.prompt("Again.");
		assert.equal(failing.of("summarizer").length, 1, "the next good reply flushes");
	});
});
