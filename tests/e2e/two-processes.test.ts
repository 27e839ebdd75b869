// Two pi on one session file: pi takes no lock and neither sees the other's lines (report 78).

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { file, investigate, projectFiles, pruning } from "../harness/fixtures.ts";
import { epochsOf, lastAgent, prunedOf } from "../harness/flushed.ts";
import { type Opened, openSession, waiting } from "../harness/opened.ts";
import { extensionEntry, requireBuild } from "../harness/paths.ts";
import { startRpc } from "../harness/rpc.ts";
import { createSandbox, readSession } from "../harness/sandbox.ts";
import { openSdk, pi, type SdkPi } from "../harness/sdk.ts";
import { labelledSummary, startServer } from "../harness/server.ts";

requireBuild();

const told = (sdk: SdkPi) => sdk.notices.filter((line) => /another pi is writing/.test(line));

async function both(t: TestContext, settings: Record<string, unknown> = {}): Promise<[Opened, SdkPi]> {
	const first = await openSession(t, {
		entries: waiting(2).lines(),
		settings: pruning(settings),
		files: { "big.txt": file(9, "log", 40_000) },
		mode: "rpc",
		agent: (_request, index) => (index === 0 ? { text: "First." } : { text: "More." }),
	});
	const path = first.manager.getSessionFile() as string;
	const second = await openSdk({
		sandbox: first.sandbox,
		sessionManager: pi.SessionManager.open(path, first.manager.getSessionDir(), first.sandbox.cwd),
		mode: "rpc",
	});
	t.after(() => second.dispose());
	return [first, second];
}

describe("two pi on one session", () => {
	it("write no epoch once the other has written, ask no summarizer, and say so once each", async (t) => {
		const [first, second] = await both(t, { pruneOn: "on-demand" });
		await first.prompt("In the first.");
		await second.prompt("In the second.");
		for (const sdk of [first, second]) {
			await sdk.prompt("/pruner now");
			assert.equal(told(sdk).length, 1, sdk.notices.join("\n"));
			assert.match(told(sdk)[0] ?? "", /neither sees what the other adds.*close one of them, then \/reload/);
			assert.deepEqual([sdk.of("summarizer").length, epochsOf(sdk).length], [0, 0]);
			await sdk.prompt("/pruner status");
			const status = sdk.notices.at(-1) ?? "";
			assert.match(status, /^pi-decant: pruning is paused: another pi is writing/);
			assert.match(status, /Waiting: 2 tool results, .*; left as is while pruning is paused\./);
		}
	});

	it("say so once, however many flushes are due", async (t) => {
		const [first, second] = await both(t);
		second.manager.appendCustomEntry("note", { from: "the other" });
		for (const text of ["One.", "Two.", "Three."]) await first.prompt(text);
		assert.equal(told(first).length, 1);
		assert.deepEqual([first.of("summarizer").length, epochsOf(first).length], [0, 0]);
		assert.deepEqual(prunedOf(lastAgent(first)).stubbed, []);
		assert.deepEqual(first.errors, []);
		const ids = readSession(first.manager.getSessionFile() as string).map(({ type }) => type);
		assert.ok(!ids.includes("torn"));
	});

	it("keep what was decided before: it goes on being sent as it was", async (t) => {
		const [first, second] = await both(t);
		await first.prompt("One.");
		assert.equal(epochsOf(first).length, 1);
		await second.prompt("Elsewhere.");
		assert.equal(epochsOf(second).length, 0, "the second has read the file before the first's epoch");
		assert.equal(told(second).length, 1);
		await first.prompt("Two.");
		assert.equal(prunedOf(lastAgent(first)).stubbed.length, 2);
	});

	it("spill nothing either: the result stays in the context", async (t) => {
		const built = waiting(2);
		const sdk = await openSession(t, {
			entries: built.lines(),
			settings: { contextPrune: { pruneOn: "on-demand", spillThreshold: 5_000 } },
			files: { "big.txt": file(9, "log", 40_000) },
			mode: "rpc",
			agent: [{ calls: [{ name: "read", args: { path: "big.txt" } }] }, { text: "Seen." }],
		});
		const path = sdk.manager.getSessionFile() as string;
		const other = pi.SessionManager.open(path, sdk.manager.getSessionDir(), sdk.sandbox.cwd);
		other.appendCustomEntry("note", {});
		await sdk.prompt("Read it.");
		assert.deepEqual(prunedOf(lastAgent(sdk)).stubbed, []);
		assert.equal(told(sdk).length, 1);
		assert.equal(epochsOf(sdk).length, 0);
	});

	it("after the other has closed: /reload begins anew", async (t) => {
		const [first, second] = await both(t);
		second.manager.appendCustomEntry("note", {});
		await first.prompt("One.");
		assert.equal(epochsOf(first).length, 0);
		await first.session.reload();
		await first.prompt("Two.");
		assert.equal(epochsOf(first).length, 1);
	});

	it("a pi alone is never taken for two: migration, torn lines, forks, its own cache-warming entries", async (t) => {
		const lines = waiting(2).lines();
		const text = `${JSON.stringify(lines[0])}\n{"type":"torn\n\n${lines
			.slice(1)
			.map((line) => JSON.stringify(line))
			.join("\n")}`;
		const sdk = await openSession(t, { sessionText: text, mode: "rpc" });
		sdk.manager.appendUsage("cache_warm", "faux", "faux-1", {
			input: 1,
			output: 1,
			cacheRead: 0,
			cacheWrite: 0,
			totalTokens: 2,
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
		});
		await sdk.prompt("One.");
		assert.equal(epochsOf(sdk).length, 1);
		const v1 = waiting(2)
			.lines()
			.map(({ id: _id, parentId: _parent, version: _version, ...line }, at) =>
				at === 0 ? { ...line, id: "v1" } : line,
			);
		const old = await openSession(t, { entries: v1, mode: "rpc" });
		await old.prompt("One.");
		assert.deepEqual([told(sdk), told(old)], [[], []]);
		assert.equal(epochsOf(old).length, 1);
	});

	it("as processes of their own: both go on, neither prunes any more, the file stays whole", async (t) => {
		const server = await startServer({ summarizer: labelledSummary });
		server.script({ agent: [...investigate, { text: "In the second." }, { text: "In the first again." }] });
		const sandbox = createSandbox({
			url: server.url,
			settings: { contextPrune: { pruneOn: "on-demand" } },
			files: projectFiles,
		});
		t.after(() => {
			sandbox.remove();
			return server.close();
		});
		const first = startRpc(sandbox, { extensions: [extensionEntry] });
		await first.prompt("Why does the parser fail?");
		const path = sandbox.sessionFiles()[0] as string;
		const second = startRpc(sandbox, { extensions: [extensionEntry], args: ["--session", path] });
		await second.prompt("Anything else?");
		await first.prompt("And here?");
		for (const rpc of [first, second]) {
			await rpc.prompt("/pruner now");
			assert.equal(
				rpc.notices().filter((line) => /another pi is writing/.test(line)).length,
				1,
				rpc.notices().join("\n"),
			);
		}
		assert.equal(server.of("summarizer").length, 0);
		const lines = readSession(path);
		assert.ok(lines.every(({ type, customType }) => type !== "torn" && customType !== "context-prune-epoch"));
		assert.equal(server.of("agent").length, 5);
	});
});
