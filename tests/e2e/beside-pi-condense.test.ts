// pi-condense installed beside us: two tools of one name in the factories make pi exit, so we must look first.

import assert from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { answers, blocking, investigate, projectFiles, recover } from "../harness/fixtures.ts";
import { extensionEntry, repositoryRoot, requireBuild } from "../harness/paths.ts";
import { runPi } from "../harness/pi.ts";
import { resultsOf } from "../harness/pruned.ts";
import { startRpc } from "../harness/rpc.ts";
import { createSandbox } from "../harness/sandbox.ts";
import { type ModelRequest, startServer } from "../harness/server.ts";

requireBuild();
const server = await startServer();
after(() => server.close());

const other = join(repositoryRoot, "tests", "harness", "extensions", "like-pi-condense.ts");

describe("pi-condense beside it", () => {
	for (const [order, extensions] of Object.entries({
		"loaded before": [other, extensionEntry],
		"loaded after": [extensionEntry, other],
	}))
		it(`${order}: pi starts, we stand down wholly, one line says what to remove`, async (t) => {
			const sandbox = createSandbox({ url: server.url, settings: blocking, files: projectFiles });
			t.after(() => sandbox.remove());
			server.reset();
			server.script({ agent: [...investigate, ...recover("t1")] });
			const run = await runPi(sandbox, { prompts: ["Why?", "Anything else?"], extensions });
			assert.equal(run.exitCode, 0, run.stderr);
			assert.equal(run.stdout.trim(), answers.second);
			const lines = run.stderr.split("\n").filter((line) => /pi-decant/.test(line));
			assert.equal(lines.length, 1, run.stderr);
			assert.match(lines[0] ?? "", /pi-condense|context_tree_query/);
			assert.match(lines[0] ?? "", /remove/i);
			assert.equal(server.of("summarizer").length, 0);
			const last = server.of("agent").at(-1) as ModelRequest;
			assert.deepEqual(resultsOf(last.body, "context_tree_query"), ["answered by the other extension"]);
			const named = (last.body.tools ?? []).filter((tool) => tool.function.name === "context_tree_query");
			assert.equal(named.length, 1);
			assert.ok(!run.entries.some((entry) => String(entry.customType ?? "").startsWith("context-prune-")));
		});

	it("its status and its command are left alone", async (t) => {
		const sandbox = createSandbox({ url: server.url, settings: blocking });
		const rpc = startRpc(sandbox, { extensions: [extensionEntry, other] });
		t.after(() => sandbox.remove());
		await rpc.command("get_state");
		const statuses = rpc.records.filter(
			(record) => record.method === "setStatus" && record.statusKey === "context-prune",
		);
		assert.deepEqual(
			statuses.map((record) => record.statusText),
			["prune: OFF"],
		);
	});

	it("in a folder of its own name is found by the same rule", async (t) => {
		// Installed packages sit in node_modules; nothing may hang on the path of our own entry.
		const sandbox = createSandbox({ url: server.url, settings: blocking, files: projectFiles });
		t.after(() => sandbox.remove());
		const installed = join(sandbox.agentDir, "extensions", "pi-condense");
		mkdirSync(installed, { recursive: true });
		cpSync(other, join(installed, "index.ts"));
		server.reset();
		server.script({ agent: [...investigate, ...recover("t1")] });
		const run = await runPi(sandbox, {
			prompts: ["Why?", "Anything else?"],
			extensions: [extensionEntry],
			discover: true,
		});
		assert.equal(run.exitCode, 0, run.stderr);
		assert.equal(server.of("summarizer").length, 0);
	});
});
