import assert from "node:assert/strict";
import { test } from "node:test";
import { begun, FakePi, messages, quit, reply, settled } from "./fake-pi.ts";

test("a finished turn is captured and after the reply its summary stands in one entry, folded at once", async () => {
	const pi = begun();
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

test("errors, aborts and on-demand start no flush", async () => {
	const pi = new FakePi();
	pi.mode = "rpc";
	pi.session.start(pi.ctx);
	await pi.toolTurn();
	await pi.replyTurn("error");
	await pi.replyTurn("aborted");
	await pi.pruner("on");
	pi.session.change({ pruneOn: "on-demand" }, pi.ctx);
	await pi.replyTurn();
	await settled();
	assert.deepEqual(pi.prompts, []);
	const [line] = await pi.pruner("now");
	assert.match(line ?? "", /summarized 1 tool result in 1 batch with fake\/one, about 20 tokens less/);
	assert.equal(pi.epochs.length, 1);
});

test("a background flush does not hold the turn; a blocking one does", async () => {
	for (const flush of ["background", "blocking"]) {
		const pi = begun();
		const open = pi.hold();
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
	const pi = begun();
	const open = pi.hold();
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
	const open = pi.hold();
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
		const pi = begun();
		pi.source.core.trouble = { method: "commitFlush", error: Object.assign(new Error("no"), { code }) };
		await pi.toolTurn();
		await pi.replyTurn();
		await settled();
		assert.deepEqual([pi.said.length, pi.epochs.length], [words, 0], code);
	}
});

test("a failing summarizer: one line, the results stay", async () => {
	const pi = begun();
	pi.answer = async () => reply("", { stopReason: "error", errorMessage: "overloaded" });
	await pi.toolTurn();
	await pi.replyTurn();
	await settled();
	assert.deepEqual(pi.said, [
		"pi-decant: summarizing failed (fake/one failed: overloaded). Nothing was pruned; the next flush tries again. /pruner model chooses another summarizer.",
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
	const pi = begun();
	const open = pi.hold();
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
	const open = pi.hold();
	await pi.toolTurn();
	await pi.replyTurn();
	const closed = pi.session.shutdown(quit, pi.ctx);
	await settled();
	assert.deepEqual([pi.prompts.length, pi.epochs.length, pi.source.core.freed], [1, 0, false]);
	open();
	await closed;
	assert.equal(pi.epochs.length, 1);
	assert.equal(pi.source.core.freed, true);
	assert.equal(pi.session.prepareRequest(messages, pi.ctx), undefined, "after the end pi's messages stay as they are");
});

test("the shutdown waits for two seconds where somebody sits before it, else for flushWaitMs", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	for (const [mode, ms] of [
		["tui", 2_000],
		["rpc", 10_000],
	] as const) {
		const pi = begun();
		pi.mode = mode;
		pi.session.change({ flushWaitMs: 10_000 }, pi.ctx);
		let takenBack = false;
		pi.answer = async (_prompt, signal) => {
			await new Promise((resolve) => signal.addEventListener("abort", resolve));
			takenBack = true;
			return reply("late");
		};
		await pi.toolTurn();
		await pi.replyTurn();
		const closed = pi.session.shutdown(quit, pi.ctx);
		await settled();
		t.mock.timers.tick(ms - 1);
		await settled();
		assert.deepEqual([takenBack, pi.source.core.freed], [false, false], mode);
		t.mock.timers.tick(1);
		await closed;
		assert.deepEqual([takenBack, pi.source.core.freed, pi.epochs.length], [true, true, 0], mode);
	}
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
