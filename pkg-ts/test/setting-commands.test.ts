import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Settings } from "../src/settings/settings.ts";
import { FakeCommands } from "./fake-commands.ts";
import { realCore } from "./real-core.ts";
import { scratch } from "./scratch.ts";

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
	assert.match(await pi.run("settings autoBudgetThreshold 80%"), /autoBudgetThreshold is now 80% \(was none\)/);
	assert.deepEqual(pi.saved, { autoBudgetThreshold: 0.8 });
	await pi.run("settings autoBudgetThreshold off");
	assert.deepEqual(pi.saved, { autoBudgetThreshold: null });
	assert.match(await pi.run("settings autoBudgetThreshold 1.5"), /stays none: "1\.5" is not a share/);
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
	await pi.run("settings protectedTools todo memory");
	assert.deepEqual(pi.settings.value("protectedTools"), ["todo", "memory"]);
	assert.match(await pi.run("protected-tools add"), /which tool\?/);
});

test("a word that is no verb of a list changes nothing, and neither does one too many", async () => {
	const pi = new FakeCommands({ contextPrune: { protectedTools: ["todo"] } });
	assert.equal(
		await pi.run("protected-tools lst"),
		'pi-decant: nothing was changed: "lst" is none of list, add, remove, none, default. The whole list at once: /pruner settings protectedTools lst ...',
	);
	for (const name of ["protected-tools", "protected-paths"])
		for (const wrong of ["lst", "ad bash", "rm todo", "todo", '"a b" c', "none todo", "default x", "list all"])
			assert.match(await pi.run(`${name} ${wrong}`), /nothing was changed/, `${name} ${wrong}`);
	assert.deepEqual(pi.saved, { protectedTools: ["todo"] });
});

test("what is written is what holds; else it is refused", async () => {
	const pi = new FakeCommands();
	assert.equal(
		await pi.run("min-batch-chars 99999999999999999999"),
		'pi-decant: minBatchChars stays 1,000: "99999999999999999999" is not a value that can be kept; it would become 4,294,967,295.',
	);
	for (const { key, kind } of pi.settings.rows) {
		if (kind !== "count") continue;
		const before = pi.settings.value(key);
		await pi.run(`settings ${key} 99999999999999999999`);
		assert.equal(pi.settings.value(key), before, key);
	}
	assert.throws(() => pi.saved, /ENOENT/);
});

test("one word for no value and one for the installed one, wherever they are typed", async () => {
	const pi = new FakeCommands();
	for (const row of pi.settings.rows) {
		if (row.nullable || row.kind === "list") {
			assert.match(await pi.run(`settings ${row.key} none`), / is (now )?none/, row.key);
			assert.doesNotMatch(row.help, /null/);
		}
		await pi.run(`settings ${row.key} default`);
		assert.deepEqual(pi.settings.value(row.key), row.default, row.key);
	}
	assert.match(await pi.run("spill 100000"), /spillThreshold is now 100,000/);
	assert.match(await pi.run("spill default"), /spillThreshold is now 65,536/);
});

test("a switch that is off is not described as if it were on", async () => {
	const pi = new FakeCommands();
	await pi.run("dedup off");
	assert.equal(
		await pi.run("dedup"),
		"pi-decant: dedupByContentHash is off. On means: do not summarize the same output twice. Possible: on, off.",
	);
	assert.match(await pi.run("settings dedupByContentHash"), /is off \(default on\)\. On means: do not/);
});

test("a setting that is nearly named is offered by its name", async () => {
	const pi = new FakeCommands();
	assert.equal(
		await pi.run("settings chain.maxShare 0.2"),
		'pi-decant: there is no setting "chain.maxShare". Did you mean chainCompression.maxShare? /pruner settings lists them.',
	);
	assert.match(await pi.run("settings pruneon"), /Did you mean pruneOn\?/);
});

test("the list says which protected names matched nothing", async () => {
	const pi = new FakeCommands({ contextPrune: { protectedTools: ["todo", "bash"] } });
	if (pi.report) pi.report.protectedUnmatched = ["todo"];
	assert.match(await pi.run("protected-tools"), /\n {2}todo {2}\(matched nothing so far\)\n {2}bash$/);
});

test("what the file says and what counts instead is told at the start", () => {
	const core = realCore();
	const told = (contextPrune: object) => {
		const agentDir = scratch();
		writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ contextPrune }));
		return new Settings(agentDir, core).load().map((line) => line.replace(agentDir, ""));
	};
	assert.deepEqual(told({ spillThreshold: 1.5, minBatchChars: 1e20, protectedTools: ["a"], dedupByContentHash: "x" }), [
		"pi-decant: in /settings.json, dedupByContentHash: expected true or false; using true.",
		"pi-decant: in /settings.json, minBatchChars: 100000000000000000000 counts as 4,294,967,295.",
		"pi-decant: in /settings.json, spillThreshold: 1.5 counts as 1.",
	]);
	assert.deepEqual(told({ spillThreshold: null, autoBudgetThreshold: 0.8, unknown: 1 }), []);
});
