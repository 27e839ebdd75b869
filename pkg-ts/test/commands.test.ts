import assert from "node:assert/strict";
import { test } from "node:test";
import { help } from "../src/commands/help.ts";
import { FakeCommands } from "./fake-commands.ts";

test("without a word the status is said where nothing can be drawn; a wrong word is named", async () => {
	const pi = new FakeCommands();
	assert.match(
		await pi.run(""),
		/^pi-decant: pruning is on\.\nLast request: 92k -> 14k tokens \(-85%\), 7 tool results/,
	);
	assert.equal(
		await pi.run("frobnicate now"),
		"pi-decant: there is no /pruner frobnicate. /pruner help lists what there is.",
	);
	assert.equal(pi.said.at(-1)?.level, "warning");
});

test("what takes no argument does not run with one; every line says whose it is", async () => {
	const pi = new FakeCommands();
	for (const name of ["on", "off", "status", "stats", "now", "compact", "help"]) {
		assert.equal(await pi.run(`${name} foo`), `pi-decant: /pruner ${name} takes no argument; nothing was done.`);
	}
	assert.equal(pi.settings.config.enabled, true);
	assert.deepEqual(pi.triggers, []);
	const names = (pi.complete("") ?? []).map((name) => name.trim());
	for (const name of [...names, "nonsense", "model nosuch", "tree t99", "settings nosuch", "protected-paths lst"]) {
		const said = await pi.run(name);
		assert.match(said, /^pi-decant/, name);
	}
});

test("help on a narrow screen has each summary under its subcommand", () => {
	const [, ...lines] = help([{ name: "tree", usage: "[ref]", summary: "browse what was pruned" }], 40).split("\n");
	assert.deepEqual(lines, ["tree [ref]", "  browse what was pruned"]);
});

test("help names every subcommand and fits 80 columns", async () => {
	const lines = (await new FakeCommands().run("help")).split("\n");
	for (const name of [
		..."on off status stats now tree settings model thinking prune-on batching min-batch-chars".split(" "),
		..."recovery-grace dedup spill protected-tools protected-paths help".split(" "),
	])
		assert.ok(
			lines.some((line) => line.startsWith(`  ${name} `)),
			name,
		);
	for (const line of lines) assert.ok(line.length < 80, line);
});

test("a model is named by provider and id, by an id only one provider has, and with a thinking level", async () => {
	const pi = new FakeCommands();
	pi.models = [
		{ provider: "fake", id: "one" },
		{ provider: "fake", id: "vendor/free:high" },
		{ provider: "fake", id: "twice" },
		{ provider: "other", id: "twice" },
		{ provider: "locked", id: "three" },
	];
	pi.authorized = ["fake", "other"];
	assert.equal(
		await pi.run("model fake/one:low"),
		"pi-decant: summarizerModel is now fake/one (was default). summarizerThinking is now low (was default).",
	);
	await pi.run("model fake/vendor/free:high");
	assert.deepEqual(pi.saved, { summarizerModel: "fake/vendor/free:high", summarizerThinking: "low" });
	await pi.run("model fake/vendor/free:high:minimal");
	assert.deepEqual(pi.saved, { summarizerModel: "fake/vendor/free:high", summarizerThinking: "minimal" });
	assert.match(await pi.run("model twice"), /offered by several providers: fake\/twice, other\/twice/);
	assert.match(await pi.run("model nosuch"), /pi knows no model "nosuch"\. Expected provider\/id/);
	assert.match(await pi.run("model thre"), /pi knows no model "thre"/);
	assert.match(await pi.run("model locked/three"), /There are no credentials for locked yet; \/login adds them\.$/);
	await pi.run("model ONE");
	assert.equal(pi.settings.value("summarizerModel"), "fake/one");
	await pi.run("model default:off");
	assert.deepEqual(pi.saved, { summarizerModel: "default", summarizerThinking: "off" });
	assert.match(await pi.run("model"), /written by the session's model \(fake\/one\), thinking off/);
});

test("now: off is said, the end is said, an RPC client sees the rows and their end", async () => {
	const pi = new FakeCommands();
	pi.flush = async ({ progress }) => {
		const calls = [{ entryId: "e1", toolName: "read", ref: "t1" }];
		progress?.planned({
			id: 1,
			leafId: "x",
			batches: [{ prompt: "", turn: 3, rawUnits: 38_000, calls }],
			skipped: [],
			fusions: [],
		});
		progress?.batch(0, { kind: "running" });
		progress?.batch(0, { kind: "running", units: 40 });
		progress?.batch(0, { kind: "done", units: 900 });
		return {
			kind: "committed",
			outcome: { summarized: 1, calls: 1, savedUnits: 37_000, blocks: [], notes: [] },
			failures: [],
		};
	};
	assert.match(await pi.run("now"), /^pi-decant: summarized 1 tool result in 1 batch/);
	assert.deepEqual(pi.widgets, [
		["Summarizing: 0 of 1 batch done", "○ turn 3  read  1 result  38k chars, pending"],
		["Summarizing: 0 of 1 batch done", "… turn 3  read  1 result  38k chars"],
		["Summarizing: 1 of 1 batch done", "✓ turn 3  read  1 result  38k chars -> 900"],
		undefined,
	]);
	pi.mode = "print";
	pi.widgets.length = 0;
	await pi.run("now");
	assert.deepEqual(pi.widgets, []);
	pi.mode = "rpc";
	await pi.run("off");
	assert.match(await pi.run("now"), /pruning is off; switch it on with \/pruner on/);
});

test("compact: every finished task; with what it came to, and where blocks are off", async () => {
	const pi = new FakeCommands();
	assert.equal(await pi.run("compact"), "pi-decant: no finished task is left to make a block of.");
	const outcome = { summarized: 0, calls: 0, savedUnits: 13_000, blocks: ["b1", "b2"], notes: [] };
	pi.flush = async ({ progress }) => {
		const fusions = [{ block: "b2", prompt: "x".repeat(5_000) }];
		progress?.planned({ id: 1, leafId: "x", batches: [], skipped: [], fusions });
		progress?.batch(0, { kind: "failed", message: "no" });
		return { kind: "committed", outcome, failures: [] };
	};
	assert.equal(
		await pi.run("compact"),
		"pi-decant: 2 finished tasks became blocks (b1, b2), about 3.3k tokens less in each request from now on.",
	);
	assert.deepEqual(pi.widgets, [
		["Summarizing: 0 of 1 text done", "○ b2  a finished task  5k chars, pending"],
		["Summarizing: 1 of 1 text done", "✗ b2  a finished task  failed, its summaries stay side by side"],
		undefined,
	]);
	const nothing = { ...outcome, blocks: [] };
	const failures = [{ message: "down" }];
	pi.flush = async () => ({ kind: "committed", outcome: nothing, failures });
	assert.equal(
		await pi.run("compact"),
		"pi-decant: no finished task is left to make a block of. 1 batch failed and will be tried again (down). /pruner model chooses another summarizer.",
	);
	assert.deepEqual(pi.triggers, ["compact", "compact", "compact"]);
	await pi.run("settings chainCompression.enabled off");
	assert.match(await pi.run("compact"), /blocks are off.*\/pruner settings chainCompression.enabled on/);
	await pi.run("off");
	assert.match(await pi.run("compact"), /pruning is off|blocks are off/);
	assert.equal(pi.triggers.length, 3);
});

test("tree shows a block by its id, and a result that only a block has archived", async () => {
	const pi = new FakeCommands();
	const results = [{ ref: "t9", entryId: "e9", tool: "bash", units: 80 }];
	const blocks = [{ id: "b1", body: "the parser was mended", refs: ["t8", "t9"], merged: [], results }];
	pi.epochs = [{ reason: "flush", trigger: "compact", timestamp: 0, savedUnits: 9, batches: [], blocks }];
	assert.equal(await pi.run("tree b1"), "Block b1 · 2 results (t8, t9)\n\nthe parser was mended");
	assert.match(await pi.run("tree t9"), /^t9 · bash\n/);
	assert.match(await pi.run("tree b2"), /nothing on this branch has the ref "b2"/);
	assert.match(
		await pi.run("tree"),
		/flush, compaction asked for .*\n +▾ block b1 {2}a finished task.*\n.*\n +t9 +bash/,
	);
});

test("status names blocks that are not shown, results without a call, and where the weight is", async () => {
	const pi = new FakeCommands();
	assert.match(await pi.run("status"), /\nWeight: the largest task is 0% of the context\.\n/);
	assert.ok(pi.report);
	const metrics = { openThinkingTokens: 1_200, largestChainPercent: 41.6, gapTokens: 9_000 };
	pi.report = { ...pi.report, unresolvedBlocks: 1, droppedResults: 2, shownBlocks: 3, metrics };
	const said = await pi.run("status");
	assert.match(said, /\n1 block not shown: .*\n2 tool results left out: /);
	assert.match(
		said,
		/\nWeight: the largest task is 42% of the context, thinking of the task under way 1\.2k tokens, 3 blocks for finished tasks\.\n/,
	);
});

test("completion goes on from what is typed, and gets out of the way of Enter", async () => {
	const pi = new FakeCommands();
	assert.deepEqual(pi.complete("o"), ["on", "off"]);
	assert.equal(pi.complete("x"), null);
	assert.equal(pi.complete("status"), null);
	assert.deepEqual(pi.complete("protected-p"), ["protected-paths "]);
	assert.deepEqual(pi.complete("prune-on "), ["prune-on agent-message", "prune-on on-demand"]);
	assert.equal(pi.complete("prune-on on-demand"), null);
	assert.deepEqual(pi.complete("thinking m"), ["thinking minimal", "thinking medium"]);
	assert.deepEqual(pi.complete("model on"), ["model fake/one"]);
	assert.deepEqual(pi.complete("settings minB"), ["settings minBatchChars "]);
	assert.deepEqual(pi.complete("settings chain.")?.length ?? 0, 0);
	assert.deepEqual(pi.complete("settings maxShare"), ["settings chainCompression.maxShare "]);
	assert.deepEqual(pi.complete("settings pruneOn "), ["settings pruneOn agent-message", "settings pruneOn on-demand"]);
	assert.deepEqual(pi.complete("settings enabled o"), ["settings enabled on", "settings enabled off"]);
	assert.deepEqual(pi.complete("min-batch-chars 5"), ["min-batch-chars 500", "min-batch-chars 5000"]);
	await pi.run('settings protectedPaths "a b" c');
	assert.deepEqual(pi.complete("protected-paths remove "), [
		'protected-paths remove "a b"',
		"protected-paths remove c",
	]);
	assert.deepEqual(pi.complete("protected-tools add r"), ["protected-tools add read"]);
	await pi.run("protected-tools add read");
	assert.deepEqual(pi.complete("protected-tools add "), ["protected-tools add bash"]);
});
