import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config } from "../src/boundary.ts";
import { rewriteReason } from "../src/session/rewrite.ts";
import { realCore } from "./real-core.ts";

const config = (raw: object = {}): Config => realCore().readSettings(raw).config;

test("what changes sent bytes at once is an epoch, and named", () => {
	const cases: [object, object, string | undefined][] = [
		[{}, { enabled: false }, "switched-off"],
		[{ enabled: false }, {}, "switched-on"],
		[{}, { protectedTools: ["bash"] }, "settings"],
		[{}, { chainCompression: { enabled: false } }, "settings"],
		[{}, { purgeErrors: { timing: "live" } }, "live"],
		[{ purgeErrors: { timing: "live" } }, { purgeErrors: { timing: "live", cooldownTurns: 9 } }, "live"],
		[{ purgeErrors: { timing: "live" } }, {}, "live"],
		[{}, { thinkingStrip: { boundary: "live" } }, "live"],
		[{ thinkingStrip: { boundary: "live" } }, { thinkingStrip: { boundary: "live", keepLastTurns: 4 } }, "live"],
		[{}, { purgeErrors: { timing: "live", enabled: false } }, undefined],
		[{}, { purgeErrors: { cooldownTurns: 9 }, thinkingStrip: { keepLastTurns: 4 } }, undefined],
		[{}, { chainCompression: { rollingWindow: 9 }, minBatchChars: 9 }, undefined],
		[{ enabled: false }, { enabled: false, protectedTools: ["bash"] }, undefined],
	];
	for (const [before, after, reason] of cases)
		assert.equal(rewriteReason(config(before), config(after)), reason, JSON.stringify([before, after]));
});

test("the core marks live aging where something can age, and nothing on an empty branch", () => {
	const session = new (realCore().Session)({}, "/work");
	session.loadBranch([]);
	assert.equal(session.markEpoch("live"), undefined);
	const message = (id: string, parentId: string | null, fields: object) => ({
		type: "message",
		id,
		parentId,
		timestamp: "2026-01-05T09:00:00.000Z",
		message: { timestamp: 1, ...fields },
	});
	session.appendEntries([message("u", null, { role: "user", content: "Go." })]);
	assert.equal(session.markEpoch("live"), undefined);
	const content = [
		{ type: "thinking", thinking: "hm" },
		{ type: "text", text: "Done." },
	];
	session.appendEntries([message("a", "u", { role: "assistant", content, stopReason: "stop" })]);
	assert.equal(session.markEpoch("settings"), undefined);
	assert.ok(session.markEpoch("live"));
	session.free();
});
