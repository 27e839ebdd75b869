import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolCallEvent } from "@earendil-works/pi-coding-agent";
import { purgedReason } from "../src/tools/purge-guard.ts";
import { FakePi } from "./fake-pi.ts";

const mark = '<purged-errored-args size="812" ref="t9"/>';

test("a mark in the place of arguments, all of them or one, keeps a call from running", () => {
	for (const input of [
		{ _purged: mark },
		{ path: "a.ts", _purged: mark },
		{ path: "a.ts", content: mark },
		{ path: "a.ts", edits: [{ oldText: "a", newText: `\n${mark} ` }] },
	]) {
		const reason = purgedReason(input);
		assert.match(reason ?? "", /^Not run: .*context_tree_query with \["t9"\] shows the original ones\.$/);
	}
	assert.match(purgedReason({ _purged: '<purged-errored-args size="812"/>' }) ?? "", /with the id of that call/);
	assert.match(purgedReason({ _purged: null }) ?? "", /^Not run/);
});

test("what only speaks of marks runs", () => {
	for (const input of [
		{ path: "a.ts", content: `The mark ${mark} stands for arguments.` },
		{ pattern: "_purged" },
		{ path: "<purged-errored-args" },
		{ content: `${mark}\n${mark}x` },
		{},
		null,
		"text",
		{ list: [null, 1, "x"] },
	])
		assert.equal(purgedReason(input), undefined, JSON.stringify(input));
});

test("the guard stands while pruning is on, and steps aside when it is off", () => {
	const pi = new FakePi();
	pi.session.start(pi.ctx);
	const event = { type: "tool_call", toolCallId: "c", toolName: "write", input: { _purged: mark } };
	const guard = () => pi.session.guardCall(event as unknown as ToolCallEvent, pi.ctx);
	assert.equal(guard()?.block, true);
	pi.session.change({ enabled: false }, pi.ctx);
	assert.equal(guard(), undefined);
});
