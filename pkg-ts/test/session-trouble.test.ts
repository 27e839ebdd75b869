import assert from "node:assert/strict";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { begun, FakePi, messages, reply, settled } from "./fake-pi.ts";
import { scratch } from "./scratch.ts";

test("a full disk: one line, nothing pruned, the next flush tries again", async () => {
	const pi = begun();
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
	const [status] = await pi.pruner("status");
	assert.match(status ?? "", /Last internal error, while preparing a request: Error: unreachable/);
});

test("an orderly refusal keeps the instance", () => {
	const pi = begun();
	pi.source.core.trouble = { method: "applyContext", error: Object.assign(new Error("no"), { code: "bad-input" }) };
	assert.equal(pi.session.prepareRequest(messages, pi.ctx), undefined);
	assert.equal(pi.source.renewed, 0);
	assert.equal(pi.session.prepareRequest(messages, pi.ctx)?.length, 2);
});

test("a session that fails again and again is left alone", () => {
	const pi = begun();
	pi.source.trouble = { method: "applyContext", error: Object.assign(new Error("no"), { code: "bad-input" }) };
	pi.source.core.trouble = pi.source.trouble;
	for (let i = 0; i < 8; i++) assert.equal(pi.session.prepareRequest(messages, pi.ctx), undefined);
	assert.equal(pi.said.length, 2);
	assert.match(pi.said[1] ?? "", /leaves this session alone/);
	assert.equal(pi.source.made.length, 5);
	// There is no report any more, and the line is promised all the same.
	assert.equal(pi.status, "│ prune: PAUSED, internal errors │");
	pi.session.change({ showPruneStatusLine: false }, pi.ctx);
	assert.equal(pi.status, undefined);
	pi.session.change({ showPruneStatusLine: true }, pi.ctx);
	assert.equal(pi.status, "│ prune: PAUSED, internal errors │");
	pi.session.change({ enabled: false }, pi.ctx);
	assert.equal(pi.status, undefined, "nothing is paused that is off");
});

test("a pause is shown and gone as soon as a run begins or a flush is asked for", async () => {
	const pi = begun();
	const tools = new Map(pi.tools);
	pi.tools.delete("context_tree_query");
	await pi.session.runStarts(pi.ctx);
	assert.match(pi.status ?? "", /PAUSED, no context_tree_query/);
	for (const [name, tool] of tools) pi.tools.set(name, tool);
	await pi.session.runStarts(pi.ctx);
	assert.match(pi.status ?? "", /^│ prune: ON/);
	pi.tools.delete("context_tree_query");
	await pi.session.flush(pi.ctx, "now");
	assert.match(pi.status ?? "", /PAUSED, no context_tree_query/);
});

test("a request before session_start is served from the branch", () => {
	const pi = new FakePi();
	pi.tree.add();
	assert.equal(pi.session.prepareRequest(messages, pi.ctx)?.length, 2);
	assert.equal(pi.source.core.leafId, "e1");
	pi.session.start(pi.ctx);
	assert.equal(pi.source.made.length, 1);
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
