import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import type { CoreModule } from "../src/boundary.ts";
import type { CoreSource } from "../src/core.ts";

const bundle = new URL("../dist/bundle.js", import.meta.url);
const skip = existsSync(bundle) ? false : "needs the built bundle: cargo xtask build";

test("after a trap a second copy of the bundle brings a core in fresh memory", { skip }, async () => {
	const { source } = (await import(bundle.href)) as { source: CoreSource };
	const first = source.current();
	const trapped = new first.Session({});
	assert.equal(source.current(), first, "one instance a process");

	const renewed: CoreModule = await source.renew();
	assert.equal(source.current(), renewed);
	assert.notEqual(renewed.Session, first.Session);
	const session = new renewed.Session({});
	session.loadBranch([
		{ type: "message", id: "a", parentId: null, timestamp: "", message: { role: "user", content: "hi", timestamp: 1 } },
	]);
	assert.equal(session.leafId, "a");
	assert.equal(trapped.leafId, undefined, "what happens in one memory is not seen in the other");

	const third = await source.renew();
	assert.notEqual(third.Session, renewed.Session);
});
