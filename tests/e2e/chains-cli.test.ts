// Blocks over pi's command line and a model on loopback: they leave the wire, last over `pi -c`, and come back.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { answers, investigate, projectFiles } from "../harness/fixtures.ts";
import { blockOf, protectedText } from "../harness/marks.ts";
import { extensionEntry, requireBuild } from "../harness/paths.ts";
import { runPi } from "../harness/pi.ts";
import { explainChat, recoveredBody, resultsOf, rewrites } from "../harness/pruned.ts";
import { startRpc } from "../harness/rpc.ts";
import { createSandbox } from "../harness/sandbox.ts";
import { type ChatBody, labelledSummary, startServer, textOf } from "../harness/server.ts";
import { assertPrefix, assertValid } from "../harness/validator.ts";

requireBuild();
const server = await startServer();
after(() => server.close());

const settings = {
	contextPrune: { flush: "blocking", chainCompression: { rollingWindow: 0 }, protectedPaths: ["**/render.ts"] },
};
const blocksIn = ({ messages }: ChatBody) => messages.flatMap((message) => blockOf(textOf(message)) ?? []);

describe("a finished task", async () => {
	const sandbox = createSandbox({ url: server.url, settings, files: projectFiles });
	after(() => sandbox.remove());
	server.reset();
	const asks = (...toolCallIds: string[]) => ({ calls: [{ name: "context_tree_query", args: { toolCallIds } }] });
	const reply = { text: answers.second };
	server.script({ agent: [...investigate, reply, asks("t1"), reply, asks("b1"), reply] });
	const extensions = [extensionEntry];
	const first = await runPi(sandbox, { prompts: ["Why does the parser fail?", "And then?"], extensions });
	const second = await runPi(sandbox, { prompts: ["What did the parser say?"], extensions, args: ["-c"] });
	const third = await runPi(sandbox, { prompts: ["And all of it?"], extensions, args: ["-c"] });
	const bodies = server.of("agent").map(({ body }) => body);
	const sent = resultsOf(bodies[2] as ChatBody, "read");

	it("is one text in the next request, between its prompt and its reply", () => {
		for (const run of [first, second, third]) assert.equal(run.exitCode, 0, run.stderr);
		for (const request of server.requests) assertValid(request);
		const whole = [
			...(bodies[2] as ChatBody).messages,
			{ role: "assistant", content: answers.first },
			...(bodies[3] as ChatBody).messages.slice(-1),
		];
		const { blocks, stubbed } = explainChat(whole, (bodies[3] as ChatBody).messages, "second prompt");
		assert.deepEqual([blocks.map(({ refs }) => refs), stubbed], [[["t1", "t2"]], []]);
		assert.equal((bodies[3] as ChatBody).messages.filter(({ role }) => role === "tool").length, 0);
	});

	it("carries its protected output word for word, after `pi -c` too", () => {
		const protectedOutput = protectedText("read", sent[1] ?? "?");
		for (const at of [3, 4]) {
			const [block] = blocksIn(bodies[at] as ChatBody);
			assert.ok(block?.body.includes(protectedOutput), `request ${at}`);
		}
	});

	it("comes back by ref and by the block's id", () => {
		const byRef = resultsOf(bodies[5] as ChatBody, "context_tree_query")[0] ?? "";
		assert.equal(recoveredBody(byRef), sent[0]);
		const byBlock = resultsOf(bodies[7] as ChatBody, "context_tree_query").at(-1) ?? "";
		assert.ok(byBlock.startsWith("## block: b1\n") && byBlock.includes(sent[0] ?? "?"), byBlock.slice(0, 200));
	});

	it("changes sent bytes once", () => {
		assert.deepEqual(rewrites(bodies.slice(0, 4)), [3]);
		assertPrefix((bodies[3] as ChatBody).messages, (bodies[4] as ChatBody).messages, "pi -c");
	});
});

describe("/pruner compact", () => {
	it("makes blocks of all finished tasks, and says so", async (t) => {
		const sandbox = createSandbox({
			url: server.url,
			settings: { contextPrune: { flush: "blocking" } },
			files: projectFiles,
		});
		t.after(() => sandbox.remove());
		server.reset();
		const summarizer = (request: Parameters<typeof labelledSummary>[0]) =>
			request.body.messages.some((message) => textOf(message).includes("<sub-task-summaries>"))
				? { text: "- All three looked at: `t1`, `t2`, `t3`." }
				: labelledSummary(request);
		server.script({ agent: [...investigate, { text: answers.second }], summarizer });
		const pi = startRpc(sandbox, { extensions: [extensionEntry] });
		await pi.prompt("/pruner compact");
		await pi.prompt("Why does the parser fail?");
		await pi.prompt("/pruner compact");
		await pi.prompt("/pruner compact");
		await pi.prompt("And then?");
		const said = pi.notices().filter((line) => /task/.test(line));
		assert.deepEqual(
			said.map((line) => line.replace(/about [\d.k]+/, "about N")),
			[
				"pi-decant: no finished task is left to make a block of.",
				"pi-decant: 1 finished task became a block (b1), about N tokens less in each request from now on.",
				"pi-decant: no finished task is left to make a block of.",
			],
		);
		const last = server.of("agent").at(-1)?.body as ChatBody;
		assert.deepEqual(
			blocksIn(last).map(({ body }) => body),
			["- All three looked at: `t1`, `t2`, `t3`."],
		);
	});
});
