// The main job, once, for real: pi's command line, our extension, a model on loopback.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { answers, blocking, file, investigate, projectFiles, recover } from "../harness/fixtures.ts";
import { footerText, stubText } from "../harness/marks.ts";
import { extensionEntry, requireBuild } from "../harness/paths.ts";
import { type PiRun, runPi } from "../harness/pi.ts";
import { explainChat, recoveredBody, resultsOf, rewrites } from "../harness/pruned.ts";
import { createSandbox } from "../harness/sandbox.ts";
import { labelsOf, type ModelRequest, startServer, textOf } from "../harness/server.ts";
import { assertPrefix, assertValid } from "../harness/validator.ts";

requireBuild();
const server = await startServer();
after(() => server.close());

function epochsOf(run: PiRun): Record<string, unknown>[] {
	return run.entries.filter((entry) => entry.customType === "context-prune-epoch");
}

describe("two prompts in one process", async () => {
	const sandbox = createSandbox({ url: server.url, settings: blocking, files: projectFiles });
	after(() => sandbox.remove());
	server.reset();
	server.script({ agent: [...investigate, ...recover("t1")] });
	const run = await runPi(sandbox, {
		prompts: ["Why does the parser fail?", "Does anything else depend on it?"],
		extensions: [extensionEntry],
	});
	const agent = server.of("agent");
	const summarizer = server.of("summarizer");
	const request = (at: number) => agent[at] as ModelRequest;

	it("prints the answer and exits 0", () => {
		assert.equal(run.exitCode, 0, run.stderr);
		assert.equal(run.stdout.trim(), answers.second);
	});

	it("makes no request beside the model's and the summarizer's", () => {
		assert.equal(agent.length, 5);
		assert.equal(server.requests.length, agent.length + summarizer.length);
		const between = summarizer.filter(({ index }) => index < request(3).index);
		assert.equal(between.length, 2, "one summarizer request a batch before the second prompt");
		for (const { body } of summarizer) {
			assert.deepEqual(
				body.messages.map((message) => message.role),
				["user"],
			);
			assert.equal(body.tools, undefined);
		}
	});

	it("asks the summarizer for what the results said, with a label a call", () => {
		// Both are asked for at once: which arrives first is open.
		const ordered = [...summarizer].sort((one, other) => labelsOf(one).length - labelsOf(other).length);
		assert.deepEqual(ordered.map(labelsOf), [["1:read"], ["1:read", "2:bash"]]);
		const prompts = ordered.map(({ body }) => body.messages.map((message) => textOf(message)).join("\n"));
		assert.match(prompts[0] ?? "", /\[\[1:read\]\] Tool: read\(/);
		assert.match(prompts[1] ?? "", /\[\[1:read\]\] Tool: read\([\s\S]*\[\[2:bash\]\] Tool: bash\(/);
		const log = resultsOf(request(2).body, "bash")[0] ?? "";
		// Cut to 2,000 characters of head, tail and lines that look like errors (report 88).
		assert.ok(prompts[1]?.includes(log.slice(0, 400)), "the result's head is in the prompt");
		assert.ok(prompts[1]?.includes(log.trimEnd().slice(-200)), "and its tail");
	});

	it("sends requests a provider would take", () => {
		for (const each of server.requests) assertValid(each);
	});

	it("stubs the finished batches and shows their summaries in the running process", () => {
		const whole = [
			...request(2).body.messages,
			{ role: "assistant", content: answers.first },
			...request(3).body.messages.slice(-1),
		];
		const { stubbed, summaries } = explainChat(whole, request(3).body.messages, "second prompt");
		assert.deepEqual(
			stubbed.map(({ ref }) => ref),
			["t1", "t2", "t3"],
		);
		for (const { at, ref } of stubbed)
			assert.equal(textOf(request(3).body.messages[at] ?? { role: "" }), stubText(ref), "the stub's text");
		assert.equal(summaries.length, 2, "a summary a batch");
		assert.ok(summaries[0]?.text.endsWith(footerText(["t1"])), summaries[0]?.text);
		assert.ok(summaries[1]?.text.endsWith(footerText(["t2", "t3"])), summaries[1]?.text);
		assert.match(summaries[1]?.text ?? "", /^- `t2` looked at; nothing unusual\.\n- `t3` looked at; nothing unusual\./);
		// Each summary stands right after the last result of its batch.
		assert.deepEqual(
			summaries.map(({ at }) => at),
			[(stubbed[0]?.at ?? 0) + 1, (stubbed[2]?.at ?? 0) + 1],
		);
	});

	it("makes the next request smaller", () => {
		const raw = Object.values(projectFiles).join("").length / 4;
		assert.ok(raw > 5_000);
		const saved = request(2).tokens - request(3).tokens;
		assert.ok(saved > 5_000, `${request(2).tokens} tokens before, ${request(3).tokens} after`);
	});

	it("changes sent bytes only at the flush", () => {
		assert.deepEqual(rewrites(agent.map(({ body }) => body)), [3]);
	});

	it("gives the original back, byte for byte", () => {
		const sent = resultsOf(request(1).body, "read")[0];
		const answer = resultsOf(request(4).body, "context_tree_query")[0] ?? "";
		assert.equal(recoveredBody(answer), sent);
		assert.ok(sent?.includes(projectFiles["src/parser.ts"]?.slice(0, 8_000) ?? "?"));
	});

	it("writes one entry of its own for the flush and leaves pi's as they are", () => {
		assert.ok(epochsOf(run).length >= 1);
		const foreign = run.entries.filter((entry) => String(entry.customType ?? "").startsWith("context-prune-"));
		assert.deepEqual([...new Set(foreign.map((entry) => entry.customType))], ["context-prune-epoch"]);
		const beforeSecondPrompt = run.entries.findIndex((entry) => JSON.stringify(entry).includes("Does anything else"));
		const flushed = run.entries.slice(0, beforeSecondPrompt).filter((entry) => entry.type === "custom");
		assert.equal(flushed.length, 1);
		assert.ok(!run.entries.some((entry) => entry.type === "custom_message" || entry.type === "context_edit"));
		const results = run.entries.filter((entry) => (entry.message as { role?: string })?.role === "toolResult");
		assert.equal(results.length, 4);
		assert.ok(!JSON.stringify(results).includes(stubText("t1")), "the session keeps the originals");
	});

	it("hides nothing from the model that pi sends without it", async (t) => {
		const plain = createSandbox({ url: server.url, files: projectFiles });
		t.after(() => plain.remove());
		const pruned = request(2).body.messages.slice(1);
		server.reset();
		server.script({ agent: [...investigate, { text: answers.second }] });
		await runPi(plain, { prompts: ["Why does the parser fail?", "Does anything else depend on it?"] });
		const whole = server.of("agent")[2]?.body.messages.slice(1) ?? [];
		const anonymous = (messages: readonly object[]) =>
			messages.map((message) => JSON.stringify(message).replaceAll(/call_\d+_/g, "call_"));
		assert.deepEqual(anonymous(pruned), anonymous(whole), "before the flush, both send the same");
	});
});

describe("the room for the answer", () => {
	it("is what is really free after a flush, not what was before", async (t) => {
		const sandbox = createSandbox({
			url: server.url,
			settings: { ...blocking, compaction: { enabled: false } },
			files: { "big.log": file(31, "log", 45_000), "more.log": file(32, "log", 45_000) },
			contextWindow: 30_000,
		});
		t.after(() => sandbox.remove());
		server.reset();
		server.script({
			agent: [
				{ calls: [{ name: "read", args: { path: "big.log" } }] },
				{ calls: [{ name: "read", args: { path: "more.log" } }] },
				{ text: answers.first },
				{ text: answers.second },
			],
		});
		await runPi(sandbox, { prompts: ["Read both.", "And?"], extensions: [extensionEntry] });
		const limits = server.of("agent").map(({ body }) => body.max_completion_tokens ?? Number.NaN);
		assert.ok((limits[2] as number) < 7_000, `full context: ${limits}`);
		assert.equal(limits[3], 8_192, `after the flush: ${limits}`);
	});
});

describe("after pi -c", () => {
	it("the request is the one a live process would have sent", async (t) => {
		const sandbox = createSandbox({ url: server.url, settings: blocking, files: projectFiles });
		t.after(() => sandbox.remove());
		server.reset();
		server.script({ agent: [...investigate, { text: answers.second }, { text: answers.third }] });
		const live = await runPi(sandbox, {
			prompts: ["Why does it fail?", "Anything else?"],
			extensions: [extensionEntry],
		});
		const before = live.entries.length;
		const resumed = await runPi(sandbox, { prompts: ["Is that all?"], extensions: [extensionEntry], args: ["-c"] });
		assert.equal(resumed.exitCode, 0, resumed.stderr);
		assert.equal(resumed.stdout.trim(), answers.third);
		assert.equal(resumed.sessionFile, live.sessionFile);
		assert.ok(resumed.entries.length > before);
		const [last, next] = server.of("agent").slice(-2) as [ModelRequest, ModelRequest];
		assertPrefix(last.body.messages, next.body.messages, "the resumed request");
		assert.deepEqual(
			next.body.messages.slice(last.body.messages.length).map((message) => [message.role, textOf(message)]),
			[
				["assistant", answers.second],
				["user", "Is that all?"],
			],
		);
		assert.ok(next.cached >= last.tokens - 1, "and a provider would have had it in its cache");
		assert.equal(server.of("summarizer").length, 2, "nothing is summarized twice");
	});

	it("a run killed before its flush is caught up with", async (t) => {
		const sandbox = createSandbox({
			url: server.url,
			settings: { contextPrune: { enabled: false } },
			files: projectFiles,
		});
		t.after(() => sandbox.remove());
		server.reset();
		server.script({ agent: [...investigate, { text: answers.second }, { text: answers.third }] });
		await runPi(sandbox, { prompts: ["Why does it fail?"], extensions: [extensionEntry] });
		assert.equal(server.of("summarizer").length, 0, "switched off, nothing is summarized");
		writeFileSync(sandbox.settingsPath, JSON.stringify(blocking));
		const run = await runPi(sandbox, {
			prompts: ["Anything else?", "Is that all?"],
			extensions: [extensionEntry],
			args: ["-c"],
		});
		assert.equal(run.exitCode, 0, run.stderr);
		const last = server.of("agent").at(-1) as ModelRequest;
		assert.equal(last.body.messages.filter((message) => textOf(message).startsWith("[Summarized in")).length, 3);
	});
});
