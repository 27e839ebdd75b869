import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCommands } from "./fake-commands.ts";

test("without a word the status is said where nothing can be drawn; a wrong word is named", async () => {
	const pi = new FakeCommands();
	assert.match(await pi.run(""), /^pi-decant: pruning is on\.\nLast request: 92k->14k \(-85%\) tokens, 7 tool results/);
	assert.equal(await pi.run("frobnicate now"), 'Unknown subcommand: "frobnicate". Run /pruner help for usage.');
	assert.equal(pi.said.at(-1)?.level, "warning");
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

test("a setting is shown, set, kept in the file; what the core does not take is refused and named", async () => {
	const pi = new FakeCommands();
	assert.match(
		await pi.run("prune-on"),
		/^pi-decant: pruneOn is agent-message\..*Possible: agent-message, on-demand\.$/,
	);
	assert.equal(await pi.run("prune-on on-demand"), "pi-decant: pruneOn is now on-demand (was agent-message).");
	assert.deepEqual(pi.saved, { pruneOn: "on-demand" });
	assert.equal(
		await pi.run("prune-on sometimes"),
		'pi-decant: pruneOn stays on-demand: "sometimes" is not one of agent-message, on-demand.',
	);
	assert.deepEqual(pi.saved, { pruneOn: "on-demand" });
});

test("a number is a number: 12abc is none", async () => {
	const pi = new FakeCommands();
	assert.equal(
		await pi.run("min-batch-chars 12abc"),
		'pi-decant: minBatchChars stays 1,000: "12abc" is not a whole number.',
	);
	for (const wrong of ["-1", "1e3", "1.5", "1,00", "0x10", "NaN"]) {
		await pi.run(`min-batch-chars ${wrong}`);
		assert.equal(pi.settings.value("minBatchChars"), 1_000, wrong);
	}
	await pi.run("min-batch-chars 2,000");
	assert.equal(pi.settings.value("minBatchChars"), 2_000);
	await pi.run("recovery-grace 0");
	assert.deepEqual(pi.saved, { minBatchChars: 2_000, recoveryGraceTurns: 0 });
});

test("dedup takes on, off and status", async () => {
	const pi = new FakeCommands();
	assert.equal(await pi.run("dedup off"), "pi-decant: dedupByContentHash is now off (was on).");
	assert.match(await pi.run("dedup status"), /dedupByContentHash is off\./);
	await pi.run("dedup true");
	assert.deepEqual(pi.saved, { dedupByContentHash: true });
});

test("any setting can be read and set by its key", async () => {
	const pi = new FakeCommands();
	assert.match(await pi.run("settings autoBudgetThreshold 80%"), /autoBudgetThreshold is now 80% \(was off\)/);
	assert.deepEqual(pi.saved, { autoBudgetThreshold: 0.8 });
	await pi.run("settings autoBudgetThreshold off");
	assert.deepEqual(pi.saved, { autoBudgetThreshold: null });
	assert.match(await pi.run("settings autoBudgetThreshold 1.5"), /stays off: "1\.5" is not a share/);
	assert.match(await pi.run("settings nosuch 1"), /there is no setting "nosuch"/);
	const table = await pi.run("settings");
	for (const { key } of pi.settings.rows) assert.ok(table.includes(`\n  ${key} `), key);
});

test("protected names are added, removed and listed; a pattern may hold spaces and commas", async () => {
	const pi = new FakeCommands();
	await pi.run('protected-paths add "docs/my notes/*.md" src/{a,b}/** C:\\work\\*');
	assert.deepEqual(pi.saved, {
		protectedPaths: ["**/skills/**/*.md", "docs/my notes/*.md", "src/{a,b}/**", "C:\\work\\*"],
	});
	const listed = await pi.run("protected-paths list");
	assert.match(listed, /\n {2}"docs\/my notes\/\*\.md"\n {2}src\/\{a,b\}\/\*\*\n/);
	assert.match(await pi.run("protected-paths remove nothing"), /nothing was changed: nothing is not on the list/);
	await pi.run("protected-paths remove 'docs/my notes/*.md' C:\\work\\*");
	assert.deepEqual(pi.settings.value("protectedPaths"), ["**/skills/**/*.md", "src/{a,b}/**"]);
	assert.match(await pi.run('protected-paths add "half'), /nothing was changed: a " is not closed/);
	await pi.run("protected-paths none");
	assert.deepEqual(pi.settings.value("protectedPaths"), []);
	await pi.run("protected-paths default");
	assert.deepEqual(pi.settings.value("protectedPaths"), ["**/skills/**/*.md"]);
	await pi.run("protected-tools todo memory");
	assert.deepEqual(pi.settings.value("protectedTools"), ["todo", "memory"]);
	assert.match(await pi.run("protected-tools add"), /which tool\?/);
});

test("the list says which protected names matched nothing", async () => {
	const pi = new FakeCommands({ contextPrune: { protectedTools: ["todo", "bash"] } });
	if (pi.report) pi.report.protectedUnmatched = ["todo"];
	assert.match(await pi.run("protected-tools"), /\n {2}todo {2}\(matched nothing so far\)\n {2}bash$/);
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
	assert.equal(await pi.run("compact"), "pi-decant: no chains eligible for compaction.");
	const outcome = { summarized: 0, calls: 0, savedUnits: 13_000, blocks: ["b1", "b2"], notes: [] };
	pi.flush = async ({ progress }) => {
		const fusions = [{ block: "b2", prompt: "x".repeat(5_000) }];
		progress?.planned({ id: 1, leafId: "x", batches: [], skipped: [], fusions });
		progress?.batch(0, { kind: "failed", message: "no" });
		return { kind: "committed", outcome, failures: [] };
	};
	assert.equal(await pi.run("compact"), "pi-decant: compacted 2 chains (b1, b2), reclaimed ~3.3k tokens.");
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
		"pi-decant: no chains eligible for compaction. 1 batch failed and will be tried again (down).",
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
	assert.equal(await pi.run("tree b1"), "Block b1 · 2 results (t8..t9)\n\nthe parser was mended");
	assert.match(await pi.run("tree t9"), /^t9 · bash\n/);
	assert.match(await pi.run("tree b2"), /nothing on this branch has the ref "b2"/);
	assert.match(await pi.run("tree"), /flush, compaction asked for .*\n +block b1 {2}a finished task/);
});

test("status names blocks that are not shown, results without a call, and where the weight is", async () => {
	const pi = new FakeCommands();
	assert.match(await pi.run("status"), /\nWeight: think 0 · gap 0 · chain 0%\.\n/);
	assert.ok(pi.report);
	const metrics = { openThinkingTokens: 1_200, largestChainPercent: 41.6, gapTokens: 9_000 };
	pi.report = { ...pi.report, unresolvedBlocks: 1, droppedResults: 2, shownBlocks: 3, metrics };
	const said = await pi.run("status");
	assert.match(said, /\n1 block not shown: .*\n2 tool results left out: /);
	assert.match(said, /\nWeight: think 1\.2k · gap 9k · chain 42%, 3 blocks for finished tasks\.\n/);
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
	assert.deepEqual(pi.complete("min-batch-chars 5"), ["min-batch-chars 500", "min-batch-chars 5000"]);
	await pi.run('protected-paths "a b" c');
	assert.deepEqual(pi.complete("protected-paths remove "), [
		'protected-paths remove "a b"',
		"protected-paths remove c",
	]);
	assert.deepEqual(pi.complete("protected-tools add r"), ["protected-tools add read"]);
	await pi.run("protected-tools add read");
	assert.deepEqual(pi.complete("protected-tools add "), ["protected-tools add bash"]);
});
