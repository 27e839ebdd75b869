// Summaries made in the background (the default): never in the way, committed when ready, whole or not at all.

import assert from "node:assert/strict";
import { after, describe, it, type TestContext } from "node:test";
import { answers, investigate, projectFiles } from "../harness/fixtures.ts";
import { refOfStub } from "../harness/marks.ts";
import { extensionEntry, requireBuild } from "../harness/paths.ts";
import { rewrites } from "../harness/pruned.ts";
import { type RpcPi, startRpc } from "../harness/rpc.ts";
import { createSandbox, readSession, type Sandbox } from "../harness/sandbox.ts";
import { labelledSummary, type ModelRequest, type Step, startServer, textOf } from "../harness/server.ts";
import { assertPrefix, assertValid } from "../harness/validator.ts";
import { aMoment, never, until } from "../harness/waiting.ts";

requireBuild();
const server = await startServer();
after(() => server.close());

interface Fixture {
	sandbox: Sandbox;
	rpc: RpcPi;
}

function start(
	t: TestContext,
	agent: Step[],
	summarizer = (request: ModelRequest): Step => labelledSummary(request),
	settings: Record<string, unknown> = {},
): Fixture {
	server.reset();
	server.script({ agent, summarizer });
	const sandbox = createSandbox({ url: server.url, settings, files: projectFiles });
	const rpc = startRpc(sandbox, { extensions: [extensionEntry] });
	t.after(() => sandbox.remove());
	return { sandbox, rpc };
}

const isEpoch = (record: Record<string, unknown>) => JSON.stringify(record).includes('"context-prune-epoch"');

async function epochWritten(rpc: RpcPi): Promise<void> {
	await rpc.next((record) => record.type === "entry_appended" && isEpoch(record), "the epoch entry", 0);
}

function stubsOf(request: ModelRequest | undefined): string[] {
	return (request?.body.messages ?? []).flatMap((message) => refOfStub(textOf(message)) ?? []);
}

describe("a flush in the background", () => {
	it("is committed after the reply, without another request to the model", async (t) => {
		const { rpc } = start(t, [...investigate, { text: answers.second }, { text: answers.third }]);
		await rpc.prompt("Why does the parser fail?");
		await epochWritten(rpc);
		await rpc.prompt("Anything else?");
		await rpc.prompt("Is that all?");
		const agent = server.of("agent");
		assert.equal(agent.length, 5);
		assert.equal(server.of("summarizer").length, 2);
		assert.deepEqual(stubsOf(agent[3]), ["t1", "t2", "t3"]);
		assert.deepEqual(rewrites(agent.map(({ body }) => body)), [3]);
		for (const request of server.requests) assertValid(request);
	});

	it("does not hold the next prompt up: until the summaries are there the originals go out", async (t) => {
		const held = Promise.withResolvers<void>();
		const { rpc } = start(t, [...investigate, { text: answers.second }, { text: answers.third }], (request) => ({
			...labelledSummary(request),
			after: held.promise,
		}));
		await rpc.prompt("Why does the parser fail?");
		await until("both summaries to be asked for", () => server.of("summarizer").length === 2);
		await rpc.prompt("Anything else?");
		const agent = server.of("agent");
		const early = agent[3] as ModelRequest;
		assert.deepEqual(stubsOf(early), []);
		assertPrefix((agent[2] as ModelRequest).body.messages, early.body.messages, "nothing changed meanwhile");
		held.resolve();
		await epochWritten(rpc);
		await rpc.prompt("Is that all?");
		assert.deepEqual(stubsOf(agent[4] ?? server.of("agent")[4]), ["t1", "t2", "t3"]);
	});

	it("is settled, not lost, when pi ends", async (t) => {
		const held = Promise.withResolvers<void>();
		const { rpc, sandbox } = start(t, [...investigate], (request) => ({
			...labelledSummary(request),
			after: held.promise,
		}));
		const epochs = () =>
			readSession(sandbox.sessionFiles().at(-1) ?? "").filter(({ customType }) => customType === "context-prune-epoch")
				.length;
		await rpc.prompt("Why does the parser fail?");
		await until("both summaries to be asked for", () => server.of("summarizer").length === 2);
		const stopped = rpc.stop();
		await aMoment();
		assert.equal(epochs(), 0);
		held.resolve();
		assert.equal(await stopped, 0, rpc.stderr());
		assert.equal(epochs(), 1);
	});

	it("stays out of the way with a summarizer that never answers, at the end as well", async (t) => {
		const { rpc } = start(t, [...investigate, { text: answers.second }], () => ({ text: "late", after: never }), {
			contextPrune: { flushWaitMs: 300, summarizerIdleTimeoutMs: 0 },
		});
		await rpc.prompt("Why does the parser fail?");
		await rpc.prompt("Anything else?");
		assert.deepEqual(stubsOf(server.of("agent")[3]), []);
		const closing = performance.now();
		assert.equal(await rpc.stop(), 0, rpc.stderr());
		// By default it would wait for 30 s.
		assert.ok(performance.now() - closing < 25_000, "flushWaitMs bounds what pi waits for at its end");
	});
});
