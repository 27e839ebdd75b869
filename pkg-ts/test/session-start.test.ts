import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { begun, FakePi, messages, settled } from "./fake-pi.ts";

test("the first session says that pruning is on, and how to switch it off; later ones do not", () => {
	const pi = new FakePi();
	pi.session.start(pi.ctx);
	assert.deepEqual(pi.said.filter((line) => /\/pruner off/.test(line)).length, 1);
	pi.said.length = 0;
	pi.session.start(pi.ctx);
	assert.deepEqual(pi.said, []);
});

test("another owner of the tool: we stand down wholly, with the way out", async () => {
	const pi = new FakePi();
	const rival = { path: "/npm/node_modules/pi-condense/index.ts", source: "npm:pi-condense" };
	pi.tools.set("context_tree_query", { name: "context_tree_query", parameters: {}, sourceInfo: rival });
	pi.session.start(pi.ctx);
	assert.deepEqual(pi.said, [
		"pi-decant is standing down: the tool context_tree_query belongs to another extension (/npm/node_modules/pi-condense/index.ts). To use pi-decant, run: pi remove npm:pi-condense",
	]);
	await pi.toolTurn();
	await pi.replyTurn();
	assert.equal(pi.session.prepareRequest(messages, pi.ctx), undefined);
	assert.deepEqual([pi.commands.size, pi.prompts, pi.status], [0, [], undefined]);
});

test("a second copy of ourselves stands down, even one that shares our module", () => {
	const [first, second] = [new FakePi(), new FakePi()];
	first.session.start(first.ctx);
	for (const [name, tool] of first.tools) second.tools.set(name, tool);
	second.session.start(second.ctx);
	assert.match(second.said[0] ?? "", /standing down: the tool context_tree_query belongs to another extension/);
	first.session.start(first.ctx);
	assert.ok(!first.said.some((line) => /standing down/.test(line)), "our own tool is no rival");
});

test("a rival that shows up after our start is found before the next run", async () => {
	const pi = new FakePi();
	pi.session.start(pi.ctx);
	pi.commands.set("pruner:2", {
		name: "pruner:2",
		description: "another",
		source: "extension",
		sourceInfo: { path: "/other/index.ts", source: "local" },
	});
	pi.session.runStarts(pi.ctx);
	assert.match(pi.said.at(-1) ?? "", /standing down: the command \/pruner .* remove the extension \/other\/index\.ts$/);
	assert.equal(pi.session.prepareRequest(messages, pi.ctx), undefined);
	assert.equal(pi.status, undefined);
});

test("without the tool among the active ones nothing is pruned, and the user is told", async () => {
	const pi = begun();
	pi.tools.clear();
	await pi.toolTurn();
	await pi.replyTurn();
	await settled();
	assert.deepEqual([pi.prompts, pi.said.length], [[], 1]);
	assert.match(pi.said[0] ?? "", /add it to --tools/);
});

test("/pruner off and on are kept in settings.json; a broken one is not written to, and holds for the session", async () => {
	const pi = begun();
	await pi.pruner("off");
	const path = join(pi.agentDir, "settings.json");
	assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), { contextPrune: { enabled: false } });
	assert.equal(pi.session.config().enabled, false);
	writeFileSync(path, '{"theme": ');
	const [line] = await pi.pruner("on");
	assert.match(
		line ?? "",
		/pruning is on\..*For this session only: .*settings\.json line 1 is not valid JSON; it was left as it is\./,
	);
	assert.equal(readFileSync(path, "utf8"), '{"theme": ');
	assert.equal(pi.session.config().enabled, true);
});

test("a broken settings.json is reported at the start and the defaults hold", () => {
	const pi = new FakePi();
	writeFileSync(join(pi.agentDir, "settings.json"), "{\n  oops");
	pi.session.start(pi.ctx);
	assert.match(pi.said[0] ?? "", /settings\.json line 2 is not valid JSON; using the default settings/);
	assert.equal(pi.session.config().enabled, true);
});

test("the tool answers from the core, and an empty list is a clear error", async () => {
	const pi = begun();
	const tool = pi.tools.get("context_tree_query") as {
		execute: (id: string, params: unknown) => Promise<{ content: { text: string }[]; isError?: boolean }>;
		prepareArguments: (args: unknown) => unknown;
	};
	assert.equal((await tool.execute("c", { toolCallIds: ["t1", "t2"] })).content[0]?.text, "t1,t2");
	const empty = await tool.execute("c", { toolCallIds: ["", " "] });
	assert.deepEqual(
		[empty.isError, empty.content[0]?.text],
		[true, 'toolCallIds is empty; name at least one ref, such as ["t1"].'],
	);
	assert.deepEqual(tool.prepareArguments({ toolCallIds: "t1, t2" }), { toolCallIds: ["t1", "t2"] });
});

test("a change of settings is written down with the request that it changes, and not before", () => {
	const pi = new FakePi();
	pi.session.start(pi.ctx);
	const reasons = () => pi.epochs.map((entry) => (entry as { data: { reason: string } }).data.reason);
	const request = () => pi.session.prepareRequest([], pi.ctx);
	request();
	pi.session.change({ enabled: false }, pi.ctx);
	assert.deepEqual(reasons(), [], "nothing was sent yet");
	pi.source.core.changed = "switched-off";
	request();
	assert.deepEqual(reasons(), ["switched-off"]);
	assert.equal(pi.source.core.leafId, pi.ctx.sessionManager.getLeafId(), "the core has read it before it renders");
	request();
	assert.deepEqual(reasons(), ["switched-off"]);
});
