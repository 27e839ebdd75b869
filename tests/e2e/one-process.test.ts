// What a long-lived pi goes through: new sessions, switches, forks, compactions, retries, steering, other extensions.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, describe, it, type TestContext } from "node:test";
import { answers, blocking, investigate, projectFiles } from "../harness/fixtures.ts";
import { isSummary, refOfStub } from "../harness/marks.ts";
import { extensionEntry, repositoryRoot, requireBuild } from "../harness/paths.ts";
import { runPi } from "../harness/pi.ts";
import { recoveredBody, resultsOf, rewrites } from "../harness/pruned.ts";
import { type RpcPi, startRpc } from "../harness/rpc.ts";
import { createSandbox, readSession, type Sandbox, type SandboxOptions } from "../harness/sandbox.ts";
import { labelledSummary, type ModelRequest, type Script, startServer, textOf } from "../harness/server.ts";
import { assertPrefix, assertValid } from "../harness/validator.ts";
import { never, until } from "../harness/waiting.ts";

requireBuild();
const server = await startServer();
after(() => server.close());

const extension = (name: string) => join(repositoryRoot, "tests", "harness", "extensions", `${name}.ts`);

function start(
	t: TestContext,
	agent: Script,
	options: { settings?: object; extensions?: string[] } & SandboxOptions = {},
): { rpc: RpcPi; sandbox: Sandbox } {
	server.reset();
	server.script({ agent, summarizer: labelledSummary });
	const sandbox = createSandbox({
		url: server.url,
		files: projectFiles,
		...options,
		settings: { ...blocking, ...options.settings },
	});
	const rpc = startRpc(sandbox, { extensions: options.extensions ?? [extensionEntry] });
	t.after(() => sandbox.remove());
	return { rpc, sandbox };
}

function last(): ModelRequest {
	const request = server.of("agent").at(-1);
	assert.ok(request);
	return request;
}

const stubs = (request = last()) => request.body.messages.flatMap((message) => refOfStub(textOf(message)) ?? []);

function assertAllValid(): void {
	for (const request of server.requests) assertValid(request);
}

describe("sessions in one process", () => {
	it("do not share what is known of the other", async (t) => {
		const { rpc, sandbox } = start(t, [...investigate, { text: answers.second }, { text: "new" }, { text: "back" }]);
		await rpc.prompt("Why?");
		await rpc.prompt("Anything else?");
		assert.deepEqual(stubs(), ["t1", "t2", "t3"]);
		const before = last();
		const [file] = sandbox.sessionFiles();
		await rpc.command("new_session");
		await rpc.prompt("Something else.");
		assert.deepEqual(stubs(), []);
		assert.ok(!last().body.messages.some((message) => isSummary(textOf(message))));
		await rpc.command("switch_session", { sessionPath: file });
		await rpc.prompt("Back here.");
		assert.deepEqual(stubs(), ["t1", "t2", "t3"]);
		assertPrefix(before.body.messages, last().body.messages, "after coming back");
		assertAllValid();
	});

	it("forked and cloned have what their branch has", async (t) => {
		const { rpc, sandbox } = start(t, [...investigate, ...[1, 2, 3].map((n) => ({ text: `reply ${n}` }))]);
		await rpc.prompt("Why?");
		await rpc.prompt("Anything else?");
		const lines = readSession(sandbox.sessionFiles()[0] ?? "");
		const second = lines.find((line) => JSON.stringify(line).includes("Anything else?"));
		const fork = await rpc.command("fork", { entryId: second?.id });
		assert.equal(fork.success, true, JSON.stringify(fork));
		await rpc.prompt("Another question.");
		assert.deepEqual(stubs(), ["t1", "t2", "t3"]);
		const clone = await rpc.command("clone");
		assert.equal(clone.success, true, JSON.stringify(clone));
		const before = last();
		await rpc.prompt("In the clone.");
		assert.deepEqual(stubs(), ["t1", "t2", "t3"]);
		assertPrefix(before.body.messages, last().body.messages, "in the clone");
		assertAllValid();
	});

	it("forked before the flush know nothing of it", async (t) => {
		const { rpc, sandbox } = start(t, [...investigate, ...[1, 2, 3].map((n) => ({ text: `reply ${n}` }))]);
		await rpc.prompt("Why?");
		await rpc.prompt("Anything else?");
		const lines = readSession(sandbox.sessionFiles()[0] ?? "");
		const first = lines.find((line) => JSON.stringify(line).includes('"Why?"'));
		await rpc.command("fork", { entryId: first?.id });
		await rpc.prompt("Asked differently.");
		assert.deepEqual(stubs(), []);
		assert.equal(last().body.messages.length, 2);
	});
});

describe("pi's own compaction", () => {
	it("after a flush leaves a request that holds, and originals that can be asked for", async (t) => {
		const agent: Script = [
			...investigate,
			{ text: answers.second },
			{ calls: [{ name: "context_tree_query", args: { toolCallIds: ["t1"] } }] },
			{ text: answers.third },
		];
		const { rpc } = start(t, agent, { settings: { compaction: { keepRecentTokens: 50 } } });
		await rpc.prompt("Why?");
		await rpc.prompt("Anything else?");
		const original = resultsOf((server.of("agent")[1] as ModelRequest).body, "read")[0];
		const compacted = await rpc.command("compact");
		assert.equal(compacted.success, true, JSON.stringify(compacted));
		assert.ok(server.of("compaction").length > 0);
		await rpc.prompt("And now?");
		assertAllValid();
		assert.ok(last().body.messages.some((message) => textOf(message).includes("Scripted compaction summary")));
		assert.equal(recoveredBody(resultsOf(last().body, "context_tree_query")[0] ?? ""), original);
	});
});

describe("a request that is tried again", () => {
	it("is the same request", async (t) => {
		const { rpc } = start(t, [...investigate, { status: 500 }, { text: answers.second }, { text: answers.third }]);
		await rpc.prompt("Why?");
		await rpc.prompt("Anything else?");
		const [failed, again] = server.of("agent").slice(-2) as [ModelRequest, ModelRequest];
		assert.deepEqual(stubs(failed), ["t1", "t2", "t3"]);
		assert.deepEqual(again.body.messages, failed.body.messages);
		await rpc.prompt("Sure?");
		assert.deepEqual(rewrites(server.of("agent").map(({ body }) => body)), [3]);
		assertAllValid();
	});

	it("while results wait for their summary loses none of them", async (t) => {
		const [first, second, reply] = investigate;
		const { rpc } = start(t, [
			first,
			{ status: 500 },
			second,
			{ status: 500 },
			reply,
			{ text: answers.second },
		] as Script);
		await rpc.prompt("Why?");
		await rpc.prompt("Anything else?");
		assert.deepEqual(stubs(), ["t1", "t2", "t3"]);
		assertAllValid();
	});
});

describe("steering", () => {
	it("between call and flush keeps pairs and prefix", async (t) => {
		let rpc: RpcPi | undefined;
		const agent: Script = async ({ kindIndex }) => {
			if (kindIndex === 1) await rpc?.command("steer", { message: "Look at the log, too." });
			return [...investigate, { text: answers.second }, { text: answers.third }][kindIndex] ?? {};
		};
		({ rpc } = start(t, agent));
		await rpc.prompt("Why?");
		await rpc.prompt("Anything else?");
		assert.ok(
			server
				.of("agent")
				.some(({ body }) => body.messages.some((message) => textOf(message) === "Look at the log, too.")),
		);
		assert.deepEqual(stubs(), ["t1", "t2", "t3"]);
		assert.deepEqual(rewrites(server.of("agent").map(({ body }) => body)), [3]);
		assertAllValid();
	});

	it("an aborted run leaves its results for the next flush", async (t) => {
		const agent: Script = ({ kindIndex }) =>
			kindIndex === 2
				? { text: "never said", after: never }
				: ([...investigate.slice(0, 2), {}, { text: answers.second }, { text: answers.third }][kindIndex] ?? {});
		const { rpc } = start(t, agent);
		const running = rpc.prompt("Why?");
		await until("the third request", () => server.of("agent").length === 3);
		await rpc.command("abort");
		await running;
		await rpc.prompt("Go on.");
		await rpc.prompt("And?");
		assert.deepEqual(stubs(), ["t1", "t2", "t3"]);
		assertAllValid();
	});
});

describe("an extension that edits the list before us", () => {
	it("does not make us stub the wrong thing", async (t) => {
		const { rpc } = start(t, [...investigate, { text: answers.second }], {
			extensions: [extension("meddler"), extensionEntry],
		});
		await rpc.prompt("Why?");
		await rpc.prompt("Anything else?");
		const raw = (server.of("agent")[2] as ModelRequest).body;
		const found = last().body.messages.flatMap((message) => {
			const ref = refOfStub(textOf(message));
			return ref ? [[message.tool_call_id, ref]] : [];
		});
		// Every stub stands under the call its ref was given to, in the order of the calls.
		const results = raw.messages.filter((message) => message.role === "tool").map((message) => message.tool_call_id);
		assert.deepEqual(
			found,
			results.map((id, at) => [id, `t${at + 1}`]),
		);
		assert.ok(last().body.messages.some((message) => textOf(message) === "A note of the meddler."));
		assert.ok(!last().body.messages.some((message) => textOf(message) === "Why?"));
		assertAllValid();
	});
});

describe("print mode", () => {
	it("with the default settings settles the flush before it ends", async (t) => {
		server.reset();
		server.script({ agent: [...investigate, { text: answers.second }], summarizer: labelledSummary });
		const sandbox = createSandbox({ url: server.url, files: projectFiles });
		t.after(() => sandbox.remove());
		const run = await runPi(sandbox, { prompts: ["Why?"], extensions: [extensionEntry] });
		assert.equal(run.stdout.trim(), answers.first);
		assert.equal(run.entries.filter((entry) => entry.customType === "context-prune-epoch").length, 1);
		await runPi(sandbox, { prompts: ["Anything else?"], extensions: [extensionEntry], args: ["-c"] });
		assert.deepEqual(stubs(), ["t1", "t2", "t3"]);
	});

	it("without a session pays for no summary of its last reply", async (t) => {
		server.reset();
		server.script({ agent: investigate, summarizer: labelledSummary });
		const sandbox = createSandbox({ url: server.url, files: projectFiles });
		t.after(() => sandbox.remove());
		const run = await runPi(sandbox, { prompts: ["Why?"], extensions: [extensionEntry], args: ["--no-session"] });
		assert.equal(run.exitCode, 0, run.stderr);
		assert.equal(run.stdout.trim(), answers.first);
		assert.equal(server.of("summarizer").length, 0);
		assert.deepEqual(sandbox.sessionFiles(), []);
	});

	it("says its lines on stderr and nothing but the answer on stdout", async (t) => {
		server.reset();
		server.script({ agent: [] });
		const sandbox = createSandbox({ url: server.url });
		t.after(() => sandbox.remove());
		const run = await runPi(sandbox, {
			prompts: ["/pruner status", "/pruner help", "hello"],
			extensions: [extensionEntry],
		});
		assert.equal(run.exitCode, 0, run.stderr);
		assert.equal(run.stdout.trim(), "done");
		assert.match(run.stderr, /prune/i);
		assert.equal(server.of("agent").length, 1);
	});
});
