// The demo, as a user runs it: it checks its own figures and ends with 1 where one does not hold.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { nodeBinary, repositoryRoot, requireBuild } from "../harness/paths.ts";
import { PROCESS_MS } from "../harness/waiting.ts";

requireBuild();

describe("the demo", () => {
	it("shows the context shrinking and the original coming back, in under a minute", () => {
		const script = join(repositoryRoot, "tests", "demo", "demo.ts");
		// Processor time: by the clock, a busy machine would be counted as ours.
		const timed = ["-c", 'TIMEFORMAT="processor %U %S"; time "$@"', "bash", nodeBinary, script];
		const demo = spawnSync("bash", timed, { encoding: "utf8", timeout: PROCESS_MS });
		assert.equal(demo.status, 0, demo.stdout + demo.stderr);
		const [, user, system] = /^processor ([\d.]+) ([\d.]+)$/m.exec(demo.stderr) ?? assert.fail(demo.stderr);
		assert.ok(Number(user) + Number(system) < 60, demo.stderr);
		assert.match(demo.stdout, /▸ flush: 4 results in 3 batches/);
		assert.match(demo.stdout, /▸ recovered t2: [\d,]+ characters, byte for byte/);
		assert.match(demo.stdout, /▸ flush: the oldest task left as block b1/);
		assert.match(demo.stdout, /▸ recovered b1: the heads of all 4 outputs, [\d,]+ characters, byte for byte/);
		// Three batches and one block: each was answered.
		assert.match(demo.stdout, /the summarizer \(4 requests/);
		assert.match(demo.stdout, /money in all +\$\d\.\d+ +\$\d\.\d+ +-\d+ %/);
		for (const line of demo.stdout.split("\n")) assert.ok(line.length <= 100, `too wide: ${line}`);
	});
});
