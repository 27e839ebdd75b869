// Bad input and bad luck: each time pi goes on, nothing is lost, and the user is told in one line that names the thing.

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it, type TestContext } from "node:test";
import { answers, blocking, investigate, projectFiles, recover } from "../harness/fixtures.ts";
import { refOfStub } from "../harness/marks.ts";
import { extensionEntry, packageDir, repositoryRoot, requireBuild } from "../harness/paths.ts";
import { type PiOptions, type PiRun, runPi } from "../harness/pi.ts";
import { startRpc } from "../harness/rpc.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "../harness/sandbox.ts";
import { labelledSummary, type Script, startServer, textOf } from "../harness/server.ts";
import { assertValid } from "../harness/validator.ts";

requireBuild();
const server = await startServer();
after(() => server.close());

const twoPrompts = ["Why does the parser fail?", "Anything else?"];

function sandboxFor(t: TestContext, options: SandboxOptions = {}): Sandbox {
	const sandbox = createSandbox({ url: server.url, settings: blocking, files: projectFiles, ...options });
	t.after(() => sandbox.remove());
	return sandbox;
}

async function run(
	sandbox: Sandbox,
	options: Partial<PiOptions> = {},
	summarizer: Script = labelledSummary,
): Promise<PiRun> {
	server.reset();
	server.script({ agent: [...investigate, { text: answers.second }], summarizer });
	const result = await runPi(sandbox, { prompts: twoPrompts, extensions: [extensionEntry], ...options });
	for (const request of server.requests) assertValid(request);
	return result;
}

/** Lines that speak of us. The line that greets a new user is not among them. */
function ourLines(text: string): string[] {
	return text.split("\n").filter((line) => /pi-decant|pruner/i.test(line) && !/\/pruner off/.test(line));
}

function stubs(): string[] {
	return server.of("agent").flatMap(({ body }) => body.messages.flatMap((message) => refOfStub(textOf(message)) ?? []));
}

function assertAnswered(result: PiRun): void {
	assert.equal(result.exitCode, 0, result.stderr);
	assert.equal(result.stdout.trim(), answers.second);
	assert.equal(server.of("agent").length, 4);
}

describe("settings.json", () => {
	it("that cannot be read is reported, used with defaults, and never overwritten", async (t) => {
		const broken = '{ "theme": "dark", "contextPrune": { "flush": "blocking", }\n';
		const sandbox = sandboxFor(t, { settings: broken });
		const result = await run(sandbox);
		assertAnswered(result);
		assert.equal(readFileSync(sandbox.settingsPath, "utf8"), broken);
		// pi names the file itself; we need not say it twice.
		assert.match(result.stderr, /settings\.json/);
		// Nor by a command that would save.
		const rpc = startRpc(sandbox, { extensions: [extensionEntry] });
		await rpc.prompt("/pruner off");
		await rpc.stop();
		assert.equal(readFileSync(sandbox.settingsPath, "utf8"), broken);
		assert.ok(
			rpc.notices().some((notice) => notice.includes("settings.json")),
			`notices: ${rpc.notices().join(" | ")}`,
		);
	});

	it("with a value of the wrong kind is used with the default, the key named", async (t) => {
		const sandbox = sandboxFor(t, { settings: { contextPrune: { flush: "blocking", minBatchChars: "many" } } });
		const before = readFileSync(sandbox.settingsPath, "utf8");
		const result = await run(sandbox);
		assertAnswered(result);
		assert.ok(
			ourLines(result.stderr).some((line) => line.includes("minBatchChars")),
			result.stderr,
		);
		assert.equal(readFileSync(sandbox.settingsPath, "utf8"), before);
		assert.deepEqual([...new Set(stubs())], ["t1", "t2", "t3"]);
	});

	it("with wrong types throughout is reported key by key, and pi goes on with the defaults", async (t) => {
		const wrong = {
			protectedPaths: "x",
			protectedTools: { bash: true },
			spillThreshold: -1,
			autoBudgetThreshold: "80%",
		};
		const sandbox = sandboxFor(t, { settings: { contextPrune: { flush: "blocking", ...wrong } } });
		const result = await run(sandbox);
		assertAnswered(result);
		const lines = ourLines(result.stderr);
		assert.equal(lines.length, Object.keys(wrong).length, result.stderr);
		for (const key of Object.keys(wrong))
			assert.ok(
				lines.some((line) => line.includes(key)),
				key,
			);
		assert.deepEqual([...new Set(stubs())], ["t1", "t2", "t3"]);
	});

	it("keeps every other key when a command saves, nested neighbours too (B10)", async (t) => {
		const nested = { chainCompression: { rollingWindow: 5, later: true }, purgeErrors: { cooldownTurns: 4 } };
		const contextPrune = { flush: "blocking", notOurs: 1, ...nested };
		const sandbox = sandboxFor(t, { settings: { theme: "dark", contextPrune } });
		const before = JSON.parse(readFileSync(sandbox.settingsPath, "utf8"));
		const rpc = startRpc(sandbox, { extensions: [extensionEntry] });
		await rpc.prompt("/pruner off");
		await rpc.stop();
		const saved = JSON.parse(readFileSync(sandbox.settingsPath, "utf8"));
		assert.deepEqual(saved.contextPrune, { ...contextPrune, enabled: false });
		assert.deepEqual({ ...saved, contextPrune: undefined }, { ...before, contextPrune: undefined });
	});
});

describe("/pruner", () => {
	it("names a subcommand it does not know", async (t) => {
		server.reset();
		const rpc = startRpc(sandboxFor(t), { extensions: [extensionEntry] });
		await rpc.prompt("/pruner frobnicate");
		const notice = rpc.notices().find((text) => text.includes("frobnicate")) ?? "";
		assert.match(notice, /^pi-decant: there is no \/pruner frobnicate/);
		assert.match(notice, /\/pruner help/);
		await rpc.prompt("/pruner help");
		const help = rpc.notices().join("\n");
		for (const word of ["on", "off", "status", "now", "help"]) assert.match(help, new RegExp(`\\b${word}\\b`));
		await rpc.prompt("/pruner status");
		await rpc.prompt("/pruner now");
		assert.equal(server.of("agent").length, 0, "a command asks the model nothing");
	});

	it("off stops it in the running process, on starts it again", async (t) => {
		server.reset();
		server.script({
			agent: [...investigate, { text: answers.second }, { text: answers.third }],
			summarizer: labelledSummary,
		});
		const rpc = startRpc(sandboxFor(t), { extensions: [extensionEntry] });
		await rpc.prompt(twoPrompts[0] as string);
		await rpc.prompt("/pruner off");
		await rpc.prompt(twoPrompts[1] as string);
		assert.deepEqual(stubs(), [], "off: the originals go out");
		await rpc.prompt("/pruner on");
		await rpc.prompt("Is that all?");
		assert.deepEqual(stubs(), ["t1", "t2", "t3"]);
	});
});

describe("a session", () => {
	it("file that is not one is left alone", async (t) => {
		const sandbox = sandboxFor(t);
		const path = join(sandbox.cwd, "shopping.jsonl");
		writeFileSync(path, "milk\neggs\n");
		server.reset();
		const result = await runPi(sandbox, { prompts: ["hi"], extensions: [extensionEntry], args: ["--session", path] });
		assert.equal(readFileSync(path, "utf8"), "milk\neggs\n");
		assert.notEqual(result.exitCode, 0);
		assert.match(result.stderr, /shopping\.jsonl/);
		assert.equal(server.requests.length, 0);
	});

	it("with torn, blank, welded and unknown lines is resumed", async (t) => {
		const sandbox = sandboxFor(t);
		const first = await run(sandbox, { prompts: [twoPrompts[0] as string] });
		const lines = readFileSync(first.sessionFile as string, "utf8")
			.trimEnd()
			.split("\n");
		const epoch = lines.findIndex((line) => line.includes("context-prune-epoch"));
		assert.ok(epoch > 0);
		lines.splice(2, 0, "", '{"type":"message","id":"torn', "   ");
		writeFileSync(first.sessionFile as string, `${lines.join("\r\n")}\r\n`);
		server.reset();
		server.script({ agent: [{ text: answers.second }] });
		const resumed = await runPi(sandbox, {
			prompts: [twoPrompts[1] as string],
			extensions: [extensionEntry],
			args: ["-c"],
		});
		assert.equal(resumed.exitCode, 0, resumed.stderr);
		assert.deepEqual(stubs(), ["t1", "t2", "t3"]);
	});

	it("that cannot be written for a moment: nothing is pruned, one line, and the next flush makes up for it", async (t) => {
		const sandbox = sandboxFor(t);
		const unwritable = join(repositoryRoot, "tests", "harness", "extensions", "unwritable-session.ts");
		const result = await run(sandbox, { extensions: [unwritable, extensionEntry] });
		assertAnswered(result);
		assert.deepEqual(stubs(), []);
		assert.equal(ourLines(result.stderr).length, 1, result.stderr);
		assert.match(result.stderr, /session/i);
	});

	it("on a full disk: the answer is printed, what pi wrote stays", async (t) => {
		// The limit falls between the end of pi's own lines and the end of our entry (its summaries are long on purpose).
		const long = { text: `${"A long summary of what was found. ".repeat(60)}` };
		const measured = await run(sandboxFor(t, { settings: { contextPrune: { enabled: false } } }), {
			prompts: [twoPrompts[0] as string],
		});
		const size = statSync(measured.sessionFile as string).size;
		const sandbox = sandboxFor(t);
		server.reset();
		server.script({ agent: investigate, summarizer: () => long });
		const result = await runPi(sandbox, {
			prompts: [twoPrompts[0] as string],
			extensions: [extensionEntry],
			fileLimitKiB: Math.ceil(size / 1_024) + 1,
			// At its end node writes a cold compile cache, larger than the limit, with no handler left for the signal.
			env: { NODE_DISABLE_COMPILE_CACHE: "1" },
		});
		assert.equal(result.exitCode, 0, `${result.signal} ${result.timedOut} ${result.stderr}`);
		assert.equal(result.stdout.trim(), answers.first);
		assert.equal(server.of("summarizer").length, 2, "the flush was tried");
		// Half a line of ours would be welded to what pi writes next, and lose it.
		assert.ok(readFileSync(result.sessionFile as string, "utf8").endsWith("\n"));
		assert.deepEqual(
			result.entries.map((entry) => entry.type),
			measured.entries.map((entry) => entry.type),
		);
		assert.equal(ourLines(result.stderr).length, 1, result.stderr);
	});
});

describe("the wasm", () => {
	function copyOfPackage(t: TestContext): string {
		const sandbox = sandboxFor(t);
		const copy = join(sandbox.root, "copy");
		mkdirSync(copy);
		for (const name of ["package.json", "index.ts", "dist"])
			cpSync(join(packageDir, name), join(copy, name), { recursive: true });
		return copy;
	}

	const damages: Record<string, (copy: string) => void> = {
		missing: (copy) => rmSync(join(copy, "dist", "decant_bg.wasm")),
		empty: (copy) => truncateSync(join(copy, "dist", "decant_bg.wasm")),
		"cut short": (copy) => truncateSync(join(copy, "dist", "decant_bg.wasm"), 20_000),
		"of another program": (copy) =>
			writeFileSync(join(copy, "dist", "decant_bg.wasm"), Buffer.from("0061736d01000000", "hex")),
		"without its bundle": (copy) => rmSync(join(copy, "dist", "bundle.js")),
	};
	for (const [what, damage] of Object.entries(damages))
		it(`${what}: pi works as without us and says so in one line`, async (t) => {
			const copy = copyOfPackage(t);
			damage(copy);
			const result = await run(sandboxFor(t), { extensions: [join(copy, "index.ts")] });
			assertAnswered(result);
			assert.equal(ourLines(result.stderr).length, 1, result.stderr);
			assert.match(ourLines(result.stderr)[0] ?? "", /not active/);
			assert.equal(server.of("summarizer").length, 0);
			assert.deepEqual(stubs(), []);
			assert.ok(!existsSync(join(copy, "dist", "decant_bg.wasm.tmp")));
		});
});

describe("a summarizer that fails", () => {
	const failures: Record<string, Script> = {
		"with a server error": () => ({ status: 400, error: "no capacity" }),
		"in the middle of its stream": () => ({ text: "- [[1:read]] half a", cut: true }),
		"by saying nothing": () => ({ text: "  \n" }),
		"by running into its length limit": (request) => ({ ...labelledSummary(request), finish: "length" }),
		"by being longer than the original": () => ({ text: "word ".repeat(8_000) }),
	};
	for (const [how, script] of Object.entries(failures))
		it(`${how}: the originals stay`, async (t) => {
			const result = await run(sandboxFor(t, { settings: { ...blocking, retry: { enabled: false } } }), {}, script);
			assertAnswered(result);
			assert.deepEqual(stubs(), []);
			assert.ok(server.of("summarizer").length > 0);
		});

	it("is tried again at the next reply", async (t) => {
		server.reset();
		let failing = true;
		server.script({
			agent: [...investigate, { text: answers.second }, ...recover("t1")],
			summarizer: (request) => (failing ? { status: 400 } : labelledSummary(request)),
		});
		const sandbox = sandboxFor(t, { settings: { ...blocking, retry: { enabled: false } } });
		const rpc = startRpc(sandbox, { extensions: [extensionEntry] });
		await rpc.prompt("Why?");
		failing = false;
		await rpc.prompt("Anything else?");
		await rpc.prompt("Sure?");
		assert.deepEqual([...new Set(stubs())], ["t1", "t2", "t3"]);
	});
});
