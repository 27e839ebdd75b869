// The demo, as a user runs it: it checks its own figures and ends with 1 where one does not hold.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { nodeBinary, repositoryRoot, requireBuild } from "../harness/paths.ts";

requireBuild();

describe("the demo", () => {
	it("shows the context shrinking and the original coming back, in under a minute", () => {
		const started = performance.now();
		const demo = spawnSync(nodeBinary, [join(repositoryRoot, "tests", "demo", "demo.ts")], {
			encoding: "utf8",
			timeout: 60_000,
		});
		assert.equal(demo.status, 0, demo.stdout + demo.stderr);
		assert.ok(performance.now() - started < 60_000);
		assert.match(demo.stdout, /▸ flush: 4 results in 3 batches/);
		assert.match(demo.stdout, /▸ recovered t2: [\d,]+ characters, byte for byte/);
		assert.match(demo.stdout, /money in all +\$\d\.\d+ +\$\d\.\d+ +-\d+ %/);
		for (const line of demo.stdout.split("\n")) assert.ok(line.length <= 100, `too wide: ${line}`);
	});
});
