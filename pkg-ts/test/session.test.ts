import assert from "node:assert/strict";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ContextEvent, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { FakePi, gate, reply, settled } from "./fake-pi.ts";
import { scratch } from "./scratch.ts";

const quit = { type: "session_shutdown", reason: "quit" } as const;
const messages = [{ role: "user", content: "hi" }] as unknown as ContextEvent["messages"];

async function pruner(pi: FakePi, args: string): Promise<string[]> {
	const before = pi.said.length;
	const command = pi.commands.get("pruner") as {
		handler: (args: string, ctx: ExtensionCommandContext) => Promise<void>;
	};
	await command.handler(args, pi.ctx as ExtensionCommandContext);
	return pi.said.slice(before);
}

test("a finished turn is captured and after the reply its summary stands in one entry, folded at once", async () => {
	const pi = new FakePi();
	pi.session.start(pi.ctx);
	await pi.toolTurn();
	await pi.toolTurn();
	assert.equal(pi.prompts.length, 0, "nothing is asked inside the run");
	await pi.replyTurn();
	await settled();
	assert.equal(pi.prompts.length, 2);
	assert.equal(pi.epochs.length, 1);
	assert.equal(pi.source.core.leafId, pi.tree.leaf);
	assert.equal(pi.status, "│ prune: ON · 92k->14k (-85%) │");
});

test("the first session says that pruning is on, and how to switch it off; later ones do not", () => {
	const pi = new FakePi();
	pi.session.start(pi.ctx);
	assert.deepEqual(pi.said.filter((line) => /\/pruner off/.test(line)).length, 1);
	pi.said.length = 0;
	pi.session.start(pi.ctx);
	assert.deepEqual(pi.said, []);
});

test("errors, aborts and on-demand start no flush", async () => {
	const pi = new FakePi();
	pi.mode = "rpc";
	pi.session.start(pi.ctx);
	await pi.toolTurn();
	await pi.replyTurn("error");
	await pi.replyTurn("aborted");
	await pruner(pi, "on");
	pi.session.change({ pruneOn: "on-demand" }, pi.ctx);
	await pi.replyTurn();
	await settled();
	assert.deepEqual(pi.prompts, []);
	const [line] = await pruner(pi, "now");
	assert.match(line ?? "", /summarized 1 tool result in 1 batch with fake\/one, about 20 tokens less/);
	assert.equal(pi.epochs.length, 1);
});

test("a background flush does not hold the turn; a blocking one does", async () => {
	for (const flush of ["background", "blocking"]) {
		const pi = new FakePi();
		const { opened, open } = gate();
		pi.answer = async () => opened.then(() => reply("summary"));
		pi.session.start(pi.ctx);
		pi.session.change({ flush }, pi.ctx);
		await pi.toolTurn();
		let returned = false;
		const turn = pi.replyTurn().then(() => {
			returned = true;
		});
		await settled();
		assert.equal(returned, flush === "background", flush);
		open();
		await turn;
		await settled();
		assert.equal(pi.epochs.length, 1);
	}
});

test("a reply during a flush is not forgotten: what it closed is flushed next", async () => {
	const pi = new FakePi();
	const { opened, open } = gate();
	pi.answer = async () => opened.then(() => reply("summary"));
	pi.session.start(pi.ctx);
	await pi.toolTurn();
	await pi.replyTurn();
	await settled();
	await pi.toolTurn();
	await pi.replyTurn();
	open();
	await settled();
	await settled();
	assert.equal(pi.epochs.length, 2);
	assert.equal(pi.prompts.length, 2);
});

test("a flush whose branch was left is dropped, and done again on the way back", async () => {
	const pi = new FakePi();
	const { opened, open } = gate();
	pi.answer = async () => opened.then(() => reply("summary"));
	const root = pi.tree.add();
	pi.session.start(pi.ctx);
	await pi.toolTurn();
	await pi.replyTurn();
	const left = pi.tree.leaf;
	pi.tree.leaf = root;
	pi.tree.add();
	pi.session.branchLeft(pi.ctx);
	open();
	await settled();
	assert.equal(pi.epochs.length, 0);
	assert.equal(pi.tree.getBranch().length, 2, "nothing was written on the new branch");
	pi.tree.leaf = left;
	pi.session.branchLeft(pi.ctx);
	await pi.toolTurn();
	await pi.replyTurn();
	await settled();
	assert.equal(pi.epochs.length, 1);
});

test("a plan the core has forgotten is dropped without a word, other refusals are not", async () => {
	for (const [code, words] of [
		["unknown-flush-plan", 0],
		["bad-summaries", 1],
	] as const) {
		const pi = new FakePi();
		pi.session.start(pi.ctx);
		pi.said.length = 0;
		pi.source.core.trouble = { method: "commitFlush", error: Object.assign(new Error("no"), { code }) };
		await pi.toolTurn();
		await pi.replyTurn();
		await settled();
		assert.deepEqual([pi.said.length, pi.epochs.length], [words, 0], code);
	}
});

test("a full disk: one line, nothing pruned, the next flush tries again", async () => {
	const pi = new FakePi();
	pi.session.start(pi.ctx);
	pi.said.length = 0;
	pi.disk = new Error("ENOSPC: no space left on device");
	await pi.toolTurn();
	await pi.replyTurn();
	await settled();
	await pi.replyTurn();
	await settled();
	assert.equal(pi.said.length, 1);
	assert.match(pi.said[0] ?? "", /could not be written \(ENOSPC.*Nothing was pruned/);
	assert.equal(pi.epochs.length, 0);
	pi.disk = undefined;
	await pi.replyTurn();
	await settled();
	assert.equal(pi.epochs.length, 1);
});

test("a failing summarizer: one line, the results stay", async () => {
	const pi = new FakePi();
	pi.session.start(pi.ctx);
	pi.said.length = 0;
	pi.answer = async () => reply("", { stopReason: "error", errorMessage: "overloaded" });
	await pi.toolTurn();
	await pi.replyTurn();
	await settled();
	assert.deepEqual(pi.said, [
		"pi-decant: summarizing failed (fake/one failed: overloaded). Nothing was pruned; the next flush tries again.",
	]);
	assert.equal(pi.epochs.length, 0);
});

test("print mode without a session file starts no flush before it is known that a run follows", async () => {
	const pi = new FakePi();
	pi.mode = "print";
	pi.tree.file = undefined;
	pi.session.start(pi.ctx);
	await pi.toolTurn();
	await pi.replyTurn();
	await settled();
	assert.deepEqual(pi.prompts, []);
	const reply = pi.tree.leaf;
	pi.tree.add();
	pi.session.branchLeft(pi.ctx);
	await pi.session.runStarts(pi.ctx);
	await settled();
	assert.deepEqual(pi.prompts, [], "the reply was left by /tree");
	pi.tree.leaf = reply;
	await pi.replyTurn();
	await pi.session.runStarts(pi.ctx);
	await settled();
	assert.equal(pi.epochs.length, 1);
});

test("a session replaced under a flush ends it in silence", async () => {
	const pi = new FakePi();
	const { opened, open } = gate();
	pi.answer = async () => opened.then(() => reply("summary"));
	pi.session.start(pi.ctx);
	await pi.toolTurn();
	await pi.replyTurn();
	pi.said.length = 0;
	pi.stale = true;
	open();
	await settled();
	assert.deepEqual([pi.epochs.length, pi.said], [0, []]);
});

test("print mode with a session file flushes, and the shutdown waits for it", async () => {
	const pi = new FakePi();
	pi.mode = "print";
	pi.session.start(pi.ctx);
	pi.answer = async () => {
		await new Promise((resolve) => setTimeout(resolve, 30));
		return reply("summary");
	};
	await pi.toolTurn();
	await pi.replyTurn();
	assert.equal(pi.epochs.length, 0);
	await pi.session.shutdown(quit, pi.ctx);
	assert.equal(pi.epochs.length, 1);
	assert.equal(pi.source.core.freed, true);
	assert.equal(pi.session.prepareRequest(messages, pi.ctx), undefined, "after the end pi's messages stay as they are");
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

test("a core that throws: pi's messages, one line, a new core from the branch", async () => {
	const pi = new FakePi();
	pi.tree.add();
	pi.session.start(pi.ctx);
	pi.said.length = 0;
	const first = pi.source.core;
	first.trouble = { method: "applyContext", error: new Error("unreachable") };
	assert.equal(pi.session.prepareRequest(messages, pi.ctx), undefined);
	assert.equal(first.freed, true);
	assert.equal(pi.said.length, 1);
	assert.match(pi.said[0] ?? "", /internal error while preparing a request \(unreachable\).*\/pruner status/);
	await settled();
	assert.equal(pi.source.renewed, 1, "after a trap the instance is not used again");
	assert.equal(pi.session.prepareRequest(messages, pi.ctx)?.length, 2);
	assert.notEqual(pi.source.core, first);
	assert.equal(pi.source.core.leafId, pi.tree.leaf);
	const [status] = await pruner(pi, "status");
	assert.match(status ?? "", /Last internal error, while preparing a request: Error: unreachable/);
});

test("an orderly refusal keeps the instance", () => {
	const pi = new FakePi();
	pi.session.start(pi.ctx);
	pi.source.core.trouble = { method: "applyContext", error: Object.assign(new Error("no"), { code: "bad-input" }) };
	assert.equal(pi.session.prepareRequest(messages, pi.ctx), undefined);
	assert.equal(pi.source.renewed, 0);
	assert.equal(pi.session.prepareRequest(messages, pi.ctx)?.length, 2);
});

test("a session that fails again and again is left alone", () => {
	const pi = new FakePi();
	pi.session.start(pi.ctx);
	pi.said.length = 0;
	pi.source.trouble = { method: "applyContext", error: Object.assign(new Error("no"), { code: "bad-input" }) };
	pi.source.core.trouble = pi.source.trouble;
	for (let i = 0; i < 8; i++) assert.equal(pi.session.prepareRequest(messages, pi.ctx), undefined);
	assert.equal(pi.said.length, 2);
	assert.match(pi.said[1] ?? "", /leaves this session alone/);
	assert.equal(pi.source.made.length, 5);
});

test("a request before session_start is served from the branch", () => {
	const pi = new FakePi();
	pi.tree.add();
	assert.equal(pi.session.prepareRequest(messages, pi.ctx)?.length, 2);
	assert.equal(pi.source.core.leafId, "e1");
	pi.session.start(pi.ctx);
	assert.equal(pi.source.made.length, 1);
});

test("without the tool among the active ones nothing is pruned, and the user is told", async () => {
	const pi = new FakePi();
	pi.session.start(pi.ctx);
	pi.said.length = 0;
	pi.tools.clear();
	await pi.toolTurn();
	await pi.replyTurn();
	await settled();
	assert.deepEqual([pi.prompts, pi.said.length], [[], 1]);
	assert.match(pi.said[0] ?? "", /add it to --tools/);
});

test("/pruner off and on are kept in settings.json; a broken one is not written to, and holds for the session", async () => {
	const pi = new FakePi();
	pi.session.start(pi.ctx);
	await pruner(pi, "off");
	const path = join(pi.agentDir, "settings.json");
	assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), { contextPrune: { enabled: false } });
	assert.equal(pi.session.config().enabled, false);
	writeFileSync(path, '{"theme": ');
	const [line] = await pruner(pi, "on");
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
	const pi = new FakePi();
	pi.session.start(pi.ctx);
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

test("/tree away from a flush in flight ends it at once", async () => {
	const pi = new FakePi();
	let aborted = false;
	pi.answer = async (_prompt, signal) => {
		await new Promise((resolve) => signal.addEventListener("abort", resolve));
		aborted = true;
		return reply("late");
	};
	const root = pi.tree.add();
	pi.session.start(pi.ctx);
	await pi.toolTurn();
	await pi.replyTurn();
	await settled();
	assert.equal(pi.session.flushing(), true);
	pi.tree.add();
	pi.session.branchLeft(pi.ctx);
	await settled();
	assert.deepEqual([aborted, pi.session.flushing()], [false, true], "further down the same branch it goes on");
	pi.tree.leaf = root;
	pi.session.branchLeft(pi.ctx);
	await settled();
	assert.deepEqual([aborted, pi.session.flushing()], [true, false]);
	assert.deepEqual(pi.session.lastFlush(), { kind: "dropped", why: "moved" });
});

test("a budget that is used up flushes in the middle of a run, held up only where that is wanted", async () => {
	for (const flush of ["background", "blocking"]) {
		const pi = new FakePi();
		const { opened, open } = gate();
		pi.answer = async () => opened.then(() => reply("summary"));
		pi.session.start(pi.ctx);
		pi.session.change({ flush, autoBudgetThreshold: 0.5, pruneOn: "on-demand" }, pi.ctx);
		pi.said.length = 0;
		await pi.toolTurn();
		assert.deepEqual(pi.said, [], "not due yet");
		pi.source.core.budget = { due: "budget" };
		let returned = false;
		const turn = pi.toolTurn().then(() => {
			returned = true;
		});
		await settled();
		assert.equal(returned, flush === "background");
		open();
		await turn;
		await settled();
		assert.equal(pi.epochs.length, 1, flush);
		assert.deepEqual(pi.said, [
			"pi-decant: the context budget is used up (about 1k tokens); summarizing 2 waiting turns.",
		]);
	}
});

test("no budget flush after an error or an abort, none without a budget", async () => {
	const pi = new FakePi();
	pi.session.start(pi.ctx);
	pi.session.change({ pruneOn: "on-demand" }, pi.ctx);
	pi.source.core.budget = { due: "budget" };
	await pi.toolTurn();
	assert.deepEqual(pi.source.core.asked, [], "pi is not asked for nothing");
	pi.session.change({ autoBudgetThreshold: 0.5 }, pi.ctx);
	await pi.replyTurn("error");
	await pi.replyTurn("aborted");
	await settled();
	assert.deepEqual(pi.prompts, []);
	await pi.replyTurn();
	await settled();
	assert.equal(pi.epochs.length, 1, "a turn without tools reaches the gate as well");
});

test("work that was waiting at the start is not flushed at boot, and reaches the budget without a new batch", async () => {
	const pi = new FakePi();
	pi.source.budget = { due: "budget" };
	pi.session.start(pi.ctx);
	pi.session.change({ autoBudgetThreshold: 0.5, pruneOn: "on-demand" }, pi.ctx);
	pi.source.core.pending.push("old");
	pi.session.start(pi.ctx);
	await settled();
	assert.deepEqual(pi.prompts, []);
	pi.said.length = 0;
	await pi.replyTurn();
	await settled();
	assert.equal(pi.epochs.length, 1);
	assert.match(pi.said[0] ?? "", /summarizing work from before the reload/);
	assert.equal(pi.source.core.triggers.at(-1), "rearmed");
});

test("what summaries cost is told to other extensions, useless and aborted ones included", async () => {
	const pi = new FakePi();
	const answers = [reply("summary"), reply(" "), reply("again")];
	pi.answer = async () => answers.shift() ?? reply("x");
	pi.session.start(pi.ctx);
	await pi.toolTurn();
	await pi.replyTurn();
	await settled();
	await pi.toolTurn();
	await pi.replyTurn();
	await settled();
	await pi.replyTurn();
	await settled();
	const cost = (calls: number) => ({
		source: "pi-decant",
		totalCost: 0.01 * calls,
		inputTokens: 10 * calls,
		outputTokens: 5 * calls,
	});
	assert.deepEqual(
		pi.emitted,
		[1, 2, 3].map((calls) => ({ channel: "cost:external", data: cost(calls) })),
	);
	// The epoch that comes after a failed flush accounts for it.
	assert.deepEqual(
		pi.source.core.committed.map((summaries) => summaries.map((summary) => summary?.usage?.input)),
		[[10], [10], [20]],
	);
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

test("large results are spilled before the turn ends; where that fails they stay, with one line", async () => {
	const pi = new FakePi();
	const folder = scratch();
	pi.tree.file = join(folder, "one.jsonl");
	pi.session.start(pi.ctx);
	pi.said.length = 0;
	pi.source.core.spillAll = true;
	await pi.toolTurn("large");
	assert.equal(pi.epochs.length, 1);
	assert.equal(readFileSync(join(folder, "session-id-blobs", "e2.txt"), "utf8"), "large");
	pi.disk = new Error("ENOSPC: no space left on device");
	await pi.toolTurn();
	await pi.toolTurn();
	assert.deepEqual(pi.said, [
		"pi-decant: large tool output could not be moved to a file (ENOSPC: no space left on device); it stays in the context.",
	]);
	assert.deepEqual(readdirSync(join(folder, "session-id-blobs")), ["e2.txt"]);
});

test("another pi on the session file: no epoch any more, said once, until the session starts anew", async () => {
	const pi = new FakePi();
	pi.tree.file = join(scratch(), "one.jsonl");
	writeFileSync(pi.tree.file, '{"type":"session","id":"s"}\n');
	pi.session.start(pi.ctx);
	pi.said.length = 0;
	await pi.toolTurn();
	appendFileSync(pi.tree.file, '{"type":"message","id":"theirs","parentId":null}\n');
	await pi.replyTurn();
	await pi.toolTurn();
	await pi.replyTurn();
	await settled();
	assert.deepEqual([pi.prompts, pi.epochs], [[], []], "no money is spent either");
	assert.equal(pi.said.length, 1);
	assert.match(pi.said[0] ?? "", /another pi is writing to this session file.*close one of them, then \/reload/);
	pi.tree.add();
	appendFileSync(pi.tree.file, `{"type":"message","id":"${pi.tree.leaf}"}\n`);
	pi.session.start(pi.ctx);
	await pi.replyTurn();
	await settled();
	assert.equal(pi.epochs.length, 1);
});

test("lines of another pi that come while summaries are made keep the epoch from being written", async () => {
	const pi = new FakePi();
	const file = join(scratch(), "one.jsonl");
	pi.tree.file = file;
	writeFileSync(file, '{"type":"session","id":"s"}\n');
	pi.answer = async () => {
		appendFileSync(file, '{"type":"message","id":"theirs","parentId":null}\n');
		return reply("summary");
	};
	pi.session.start(pi.ctx);
	pi.said.length = 0;
	await pi.toolTurn();
	await pi.replyTurn();
	await settled();
	assert.equal(pi.epochs.length, 0);
	assert.match(pi.said.join("\n"), /^pi-decant: another pi is writing/);
});
