import assert from "node:assert/strict";
import { test } from "node:test";
import type { Api, Model } from "@earendil-works/pi-ai";
import type { Config } from "../src/boundary.ts";
import { OutageController, PROBE_AFTER_MS } from "../src/summarizer/outage.ts";
import { Summarizer, type SummarizerContext } from "../src/summarizer/summarizer.ts";
import { reply } from "./fake-pi.ts";
import { CONFIG } from "./fakes.ts";

const never = new AbortController().signal;

test("a working primary changes nothing", () => {
	const outage = new OutageController();
	assert.equal(outage.target(0), "primary");
	assert.equal(outage.succeeded("primary"), undefined);
	assert.equal(outage.inFallback, false);
});

test("the first outage is told once; the session's model stands in silently", () => {
	const outage = new OutageController();
	assert.equal(outage.primaryFailed(0, true), "entered");
	assert.equal(outage.primaryFailed(1, true), undefined, "a parallel call that failed as well");
	assert.equal(outage.target(2), "session");
	assert.equal(outage.succeeded("session"), undefined);
});

test("a probe goes out every ten minutes, exactly one of parallel calls makes it", () => {
	const outage = new OutageController();
	outage.primaryFailed(1_000, true);
	assert.equal(outage.target(1_000 + PROBE_AFTER_MS - 1), "session");
	const due = 1_000 + PROBE_AFTER_MS;
	assert.deepEqual([outage.target(due), outage.target(due), outage.target(due)], ["probe", "session", "session"]);
	assert.equal(outage.primaryFailed(due + 5_000, true), undefined, "still down: silent");
	assert.equal(outage.target(due + PROBE_AFTER_MS), "session", "the wait counts from the failure");
	assert.equal(outage.target(due + 5_000 + PROBE_AFTER_MS), "probe");
	assert.equal(outage.succeeded("probe"), "recovered");
	assert.equal(outage.target(due + 6_000 + PROBE_AFTER_MS), "primary");
});

test("with both down the warning is owed and comes with the first answer", () => {
	for (const pays of ["session", "primary failed, session answered"]) {
		const outage = new OutageController();
		assert.equal(outage.primaryFailed(0, false), undefined);
		assert.equal(outage.inFallback, true);
		assert.equal(outage.primaryFailed(1, false), undefined);
		assert.equal(pays === "session" ? outage.succeeded("session") : outage.primaryFailed(2, true), "entered", pays);
		assert.equal(outage.succeeded("session"), undefined, "once");
	}
});

test("a probe that succeeds cancels an owed warning", () => {
	const outage = new OutageController();
	outage.primaryFailed(0, false);
	assert.equal(outage.target(PROBE_AFTER_MS), "probe");
	assert.equal(outage.succeeded("probe"), "recovered");
	assert.equal(outage.succeeded("session"), undefined);
});

test("session calls that fail do not put the probe off", () => {
	// Nothing is reported for them at all: the schedule cannot move (fault 2.2.1, probe starvation).
	const outage = new OutageController();
	outage.primaryFailed(0, true);
	for (let minute = 1; minute < 10; minute++) assert.equal(outage.target(minute * 60_000), "session");
	assert.equal(outage.target(PROBE_AFTER_MS), "probe");
});

test("a new session forgets the outage", () => {
	const outage = new OutageController();
	outage.primaryFailed(0, false);
	outage.reset();
	assert.equal(outage.target(1), "primary");
	assert.equal(outage.succeeded("session"), undefined);
});

type Answers = Record<string, () => Record<string, unknown>>;

/** A summarizer on two models; what each answers, and who was asked. */
function fixture(answers: Answers, config: Partial<Config> = {}) {
	const model = (id: string) => ({ provider: "fake", id }) as Model<Api>;
	const asked: string[] = [];
	const told: string[] = [];
	const clock = { now: 0 };
	const ctx = {
		model: model("session"),
		modelRegistry: {
			find: (_provider: string, id: string) => (id === "cheap" ? model("cheap") : undefined),
			streamSimple: ({ id }: Model<Api>) => {
				asked.push(id);
				const message = answers[id]?.() ?? reply("text");
				return { async *[Symbol.asyncIterator]() {}, result: async () => message };
			},
		},
	} as unknown as SummarizerContext;
	const summarizer = new Summarizer({
		config: () => ({ ...CONFIG, summarizerModel: "fake/cheap", ...config }),
		tell: (line, level) => told.push(`${level}: ${line}`),
		now: () => clock.now,
	});
	return { summarizer, ctx, asked, told, clock, ask: (signal = never) => summarizer.summarize("p", ctx, signal) };
}

const down = () => reply("", { stopReason: "error", errorMessage: "503" });

test("an outage: the session's model summarizes, is named, and both calls are paid for", async () => {
	const { ask, asked, told, clock } = fixture({ cheap: down });
	assert.deepEqual(await ask(), {
		text: "text",
		model: "fake/session",
		usage: { input: 20, output: 10, cost: 0.02 },
	});
	assert.deepEqual(asked, ["cheap", "session"]);
	assert.deepEqual(told, [
		"warning: pi-decant: the summarizer is down (fake/cheap failed: 503). fake/session summarizes until fake/cheap is back, which is tried every 10 minutes; /pruner model chooses another.",
	]);
	await ask();
	assert.deepEqual(asked.slice(2), ["session"], "the dead provider is not waited for again");
	clock.now = PROBE_AFTER_MS;
	await ask();
	assert.deepEqual(asked.slice(3), ["cheap", "session"]);
	assert.equal(told.length, 1, "still down is no news");
});

test("back again: told once, and used from then on", async () => {
	let broken = true;
	const { ask, asked, told, clock } = fixture({ cheap: () => (broken ? down() : reply("text")) });
	await ask();
	broken = false;
	clock.now = PROBE_AFTER_MS;
	const answer = await ask();
	assert.ok("text" in answer && answer.model === "fake/cheap");
	assert.equal(told.at(-1), "info: pi-decant: the summarizer fake/cheap is back.");
	await ask();
	assert.equal(asked.at(-1), "cheap");
});

test("both down: one failure that names both; the warning comes when one answers", async () => {
	let broken = true;
	const { ask, told } = fixture({ cheap: down, session: () => (broken ? down() : reply("text")) });
	const failed = await ask();
	assert.ok("kind" in failed);
	assert.equal(failed.message, "fake/cheap failed: 503; fake/session failed: 503");
	assert.deepEqual(told, []);
	broken = false;
	await ask();
	assert.match(told.join(), /^warning: pi-decant: the summarizer is down \(fake\/cheap failed: 503\)/);
});

test("an unusable answer or a missing key says nothing about the provider's health", async () => {
	for (const message of [
		reply(" "),
		reply("x", { stopReason: "length" }),
		reply("", { stopReason: "error", errorMessage: "Provider is not configured: fake" }),
	]) {
		const { ask, asked, told } = fixture({ cheap: () => message });
		assert.ok("kind" in (await ask()));
		await ask();
		assert.deepEqual([asked, told], [["cheap", "cheap"], []]);
	}
});

test("an abort is no outage", async () => {
	const controller = new AbortController();
	const { ask, asked, told } = fixture({
		cheap: () => {
			controller.abort();
			return down();
		},
	});
	const aborted = await ask(controller.signal);
	assert.ok("kind" in aborted && aborted.kind === "aborted");
	await ask();
	assert.deepEqual([asked, told.length], [["cheap", "cheap", "session"], 1]);
});

test("where the session's model is the summarizer there is nobody to stand in", async () => {
	const { ask, asked, told } = fixture({ session: down }, { summarizerModel: "default" });
	assert.ok("kind" in (await ask()));
	await ask();
	assert.deepEqual([asked, told], [["session", "session"], []]);
});
