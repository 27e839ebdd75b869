import assert from "node:assert/strict";
import { test } from "node:test";
import { begun, FakePi, settled } from "./fake-pi.ts";

test("a budget that is used up flushes in the middle of a run, held up only where that is wanted", async () => {
	for (const flush of ["background", "blocking"]) {
		const pi = begun();
		const open = pi.hold();
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
	const pi = begun();
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
