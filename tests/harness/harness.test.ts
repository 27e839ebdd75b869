// The harness against plain pi: if these fail, nothing the other tests say can be trusted.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { awkwardSession } from "./awkward.ts";
import { nodeBinary } from "./paths.ts";
import { runPi } from "./pi.ts";
import { PrefixCache } from "./prefix-cache.ts";
import { startRpc } from "./rpc.ts";
import { createSandbox, readSession } from "./sandbox.ts";
import { openSdk, pi, textOf as piTextOf } from "./sdk.ts";
import { startServer, textOf } from "./server.ts";
import { SessionBuilder } from "./sessions.ts";
import { assertPrefix, assertValid, chatProblems, pairingProblems, piProblems } from "./validator.ts";
import { never, PATIENCE_MS } from "./waiting.ts";

const server = await startServer();
after(() => server.close());

describe("plain pi through the command line", () => {
	it("runs a tool, answers, and keeps the session", async (t) => {
		server.reset();
		server.script({ agent: [{ calls: [{ name: "read", args: { path: "a.txt" } }] }, { text: "It says hello." }] });
		const sandbox = createSandbox({ url: server.url, files: { "a.txt": "hello from the file\n" } });
		t.after(() => sandbox.remove());
		const run = await runPi(sandbox, { prompts: ["What does a.txt say?"] });
		assert.equal(run.exitCode, 0, run.stderr);
		assert.equal(run.stdout.trim(), "It says hello.");
		assert.equal(server.requests.length, 2);
		for (const request of server.requests) assertValid(request);
		const result = server.requests[1]?.body.messages.find((message) => message.role === "tool");
		assert.match(result ? textOf(result) : "", /hello from the file/);
		assert.equal(run.entries[0]?.type, "session");
	});

	it("takes several prompts in one process and reports a prefix the cache would hit", async (t) => {
		server.reset();
		server.script({ agent: [{ text: "one" }, { text: "two" }] });
		const sandbox = createSandbox({ url: server.url });
		t.after(() => sandbox.remove());
		const run = await runPi(sandbox, { prompts: ["first", "second"], mode: "json" });
		assert.equal(run.exitCode, 0, run.stderr);
		const [first, second] = server.requests;
		assert.ok(first && second);
		assertPrefix(first.body.messages, second.body.messages, "second prompt");
		assert.equal(first.cached, 0);
		assert.ok(second.cached > first.tokens * 0.95, `${second.cached} cached of ${first.tokens} seen before`);
		assert.ok(run.events.some((event) => event.type === "agent_end"));
	});

	it("speaks rpc", async (t) => {
		server.reset();
		server.script({ agent: [{ text: "one" }, { text: "two" }] });
		const sandbox = createSandbox({ url: server.url });
		t.after(() => sandbox.remove());
		const rpc = startRpc(sandbox, {});
		await rpc.prompt("first");
		await rpc.prompt("second");
		assert.equal(server.requests.length, 2);
		assert.equal(await rpc.stop(), 0, rpc.stderr());
	});

	it("sees failures, delays and broken streams", async (t) => {
		server.reset();
		server.script({ agent: [{ status: 400, error: "no such thing" }] });
		const sandbox = createSandbox({ url: server.url, settings: { retry: { enabled: false } } });
		t.after(() => sandbox.remove());
		const refused = await runPi(sandbox, { prompts: ["hi"] });
		assert.equal(refused.exitCode, 1);
		assert.match(refused.stderr, /no such thing/);
		server.reset();
		server.script({ agent: [{ text: "half a sen", cut: true }] });
		const cut = await runPi(sandbox, { prompts: ["hi"] });
		assert.equal(cut.exitCode, 1);
		server.script({ agent: [{ text: "late", after: never }] });
		const late = await runPi(sandbox, { prompts: ["hi"], timeoutMs: 1_000 });
		assert.equal(late.timedOut, true);
	});
});

describe("plain pi through its SDK", () => {
	it("resumes a built session and sends what its projection holds", async (t) => {
		const built = new SessionBuilder();
		built.user("Read it.");
		built.toolTurn([{ name: "read", args: { path: "x" }, result: "content of x" }]);
		built.assistant("Read.");
		const sandbox = createSandbox();
		const sdk = await openSdk({ sandbox, entries: built.lines(), extensions: [], agent: [{ text: "again" }] });
		t.after(async () => {
			await sdk.dispose();
			sandbox.remove();
		});
		await sdk.prompt("And now?");
		assert.deepEqual(
			sdk.requests[0]?.messages.map((message) => message.role).filter((role) => role !== "system"),
			["user", "assistant", "toolResult", "assistant", "user"],
		);
		assert.equal(piTextOf(sdk.requests[0]?.messages.at(-1) ?? { role: "user" }), "And now?");
		assert.deepEqual(sdk.errors, []);
	});

	it("reads what the generator of awkward sessions writes", async (t) => {
		const sandbox = createSandbox();
		t.after(() => sandbox.remove());
		for (let seed = 0; seed < 40; seed++) {
			const path = join(sandbox.root, `awkward-${seed}.jsonl`);
			const built = awkwardSession(seed, { unanswered: true });
			writeFileSync(path, built.jsonl());
			const manager = pi.SessionManager.open(path);
			assert.equal(manager.getEntries().length, built.entries.length);
			assert.ok(manager.buildSessionProjection().messages.length > 0);
			assert.equal(readSession(path).length, built.entries.length + 1);
			assert.equal(awkwardSession(seed, { unanswered: true }).jsonl(), built.jsonl());
		}
	});
});

describe("a sandbox", () => {
	for (const end of ["process.exit(0)", 'throw new Error("no")', 'process.kill(process.pid, "SIGTERM")'])
		it(`goes, and what works in it, on ${end}`, () => {
			const program = `
				import { spawn } from "node:child_process";
				import { createSandbox } from ${JSON.stringify(new URL("./sandbox.ts", import.meta.url).href)};
				const sandbox = createSandbox({ files: { "a/b.txt": "c" } });
				// It keeps our end of the pipe open for as long as it lives.
				sandbox.owns(spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" }));
				console.log(sandbox.root);
				${end};
				setInterval(() => {}, 1000);`;
			const run = spawnSync(nodeBinary, ["--input-type=module", "-e", program], {
				encoding: "utf8",
				timeout: PATIENCE_MS,
			});
			assert.equal(run.error, undefined, "nobody had to be waited for");
			const root = run.stdout.trim();
			assert.match(root, /pi-decant-test-/);
			assert.ok(!existsSync(root), `${root} is still there`);
		});
});

describe("the judges", () => {
	const call = (id: string) => ({ id, type: "function" as const, function: { name: "read", arguments: "{}" } });
	it("accept what providers accept", () => {
		const messages = [
			{ role: "system", content: "s" },
			{ role: "user", content: "u" },
			{ role: "assistant", content: null, tool_calls: [call("a"), call("b")] },
			{ role: "tool", tool_call_id: "b", content: "2" },
			{ role: "tool", tool_call_id: "a", content: "1" },
			{ role: "assistant", content: "done" },
		];
		assert.deepEqual(chatProblems({ model: "m", messages }), []);
	});

	it("refuse what providers refuse", () => {
		const bad = (messages: Parameters<typeof chatProblems>[0]["messages"]) =>
			chatProblems({ model: "m", messages }).join("; ");
		const asks = { role: "assistant", content: null, tool_calls: [call("a")] };
		const answer = { role: "tool", tool_call_id: "a", content: "1" };
		assert.match(bad([asks]), /no result/);
		assert.match(bad([answer]), /answers no call/);
		assert.match(bad([asks, answer, answer]), /second result/);
		assert.match(bad([asks, { role: "user", content: "x" }, answer]), /answers no call/);
		assert.match(bad([{ role: "user", content: "\ud83d" }]), /surrogate/);
		assert.match(bad([{ role: "assistant", content: "" }]), /neither/);
		assert.match(
			pairingProblems([
				{ kind: "assistant", calls: ["d", "d"] },
				{ kind: "result", id: "d" },
			]).join(),
			/no result/,
		);
		assert.match(piProblems([{ role: "toolResult", toolCallId: "z" }]).join(), /answers no call/);
	});

	it("count a prefix as a cache would", () => {
		const cache = new PrefixCache();
		assert.deepEqual(cache.read("a".repeat(400)), { tokens: 100, cached: 0 });
		assert.deepEqual(cache.read(`${"a".repeat(400)}b`), { tokens: 101, cached: 100 });
		assert.deepEqual(cache.read(`b${"a".repeat(399)}`), { tokens: 100, cached: 0 });
	});
});
