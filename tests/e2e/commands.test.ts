// `/pruner` where nothing can be drawn: an RPC client, and the print mode of a session that is resumed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { archivedSession } from "../harness/archived.ts";
import { blocking, investigate, projectFiles, pruning } from "../harness/fixtures.ts";
import { openSession } from "../harness/opened.ts";
import { extensionEntry, requireBuild } from "../harness/paths.ts";
import { runPi } from "../harness/pi.ts";
import { startRpc } from "../harness/rpc.ts";
import { createSandbox } from "../harness/sandbox.ts";
import { startServer } from "../harness/server.ts";

requireBuild();
const server = await startServer();
after(() => server.close());
const extensions = [extensionEntry];

describe("rpc", async () => {
	const settings = { contextPrune: { pruneOn: "on-demand", recoveryGraceTurns: 5 } };
	const sandbox = createSandbox({ url: server.url, files: projectFiles, settings });
	after(() => sandbox.remove());
	server.reset();
	server.script({ agent: investigate });
	const pi = startRpc(sandbox, { extensions });
	await pi.prompt("Why does the parser fail?");

	/** What a command says. */
	async function run(command: string): Promise<string> {
		const before = pi.notices().length;
		await pi.command("prompt", { message: command });
		return pi.notices().slice(before).join("\n");
	}

	it("sets what is valid, keeps what stands beside it, refuses the rest", async () => {
		assert.match(await run("/pruner min-batch-chars 1500"), /minBatchChars is now 1,500 \(was 1,000\)/);
		assert.match(await run("/pruner min-batch-chars 12abc"), /stays 1,500: "12abc" is not a whole number/);
		assert.match(await run("/pruner model nosuch/model"), /pi knows no model "nosuch\/model"/);
		assert.match(await run("/pruner model scripted-1:low"), /summarizerModel is now scripted\/scripted-1 .*now low/);
		assert.match(
			await run('/pruner protected-paths add "my docs/**"'),
			/now \*\*\/skills\/\*\*\/\*\.md "my docs\/\*\*"/,
		);
		assert.deepEqual(JSON.parse(readFileSync(sandbox.settingsPath, "utf8")).contextPrune, {
			pruneOn: "on-demand",
			recoveryGraceTurns: 5,
			minBatchChars: 1_500,
			summarizerModel: "scripted/scripted-1",
			summarizerThinking: "low",
			protectedPaths: ["**/skills/**/*.md", "my docs/**"],
		});
	});

	it("a bare /pruner says the status, settings and tree are said as text", async () => {
		assert.match(await run("/pruner"), /^pi-decant: pruning is on\.\n[\s\S]*Waiting: 3 tool results, .*\/pruner now\./);
		assert.match(await run("/pruner settings"), /\n {2}minBatchChars +1,500 {2}\(default 1,000\)\n/);
		assert.equal(await run("/pruner tree"), "pi-decant: nothing was pruned on this branch yet.");
	});

	it("now tells the client each step, and takes the widget away at the end", async () => {
		const from = pi.records.length;
		assert.match(await run("/pruner now"), /summarized 3 tool results in 2 batches with scripted\/scripted-1/);
		const widgets = pi.records.slice(from).filter(({ method }) => method === "setWidget");
		const lines = widgets.map(({ widgetLines }) => widgetLines as string[] | undefined);
		assert.equal(lines.at(0)?.[0], "Summarizing: 0 of 2 batches done");
		assert.match(lines.at(-2)?.join("\n") ?? "", /2 of 2 batches done\n✓ turn 0 .*\n✓ turn 1 /);
		assert.equal(lines.at(-1), undefined);
		assert.match(await run("/pruner tree"), /flush, on demand .*3 results[\s\S]*t1 {3}read src\/parser\.ts/);
		assert.match(await run("/pruner tree t3"), /^t3 · bash\n[\s\S]*cat logs\/run\.log/);
		assert.match(await run("/pruner stats"), /Flushes {5}1 on demand\n {2}Summarized {2}3 results in 2 batches/);
	});
});

describe("print", async () => {
	const sandbox = createSandbox({ url: server.url, settings: blocking, files: projectFiles });
	after(() => sandbox.remove());

	it("prints to stderr, and leaves stdout to the answer", async () => {
		server.reset();
		server.script({ agent: investigate });
		await runPi(sandbox, { prompts: ["Why does the parser fail?"], extensions });
		const run = await runPi(sandbox, { prompts: ["/pruner tree"], args: ["-c"], extensions });
		assert.equal(run.exitCode, 0);
		assert.match(run.stderr, /flush, after a reply .*3 results.*\n {2}▾ turn 0 {2}summary .*\n {6}\| - `t1` /);
		assert.doesNotMatch(run.stdout, /▾/);
		const help = await runPi(sandbox, { prompts: ["/pruner help"], args: ["-c"], extensions });
		assert.match(help.stderr, /\n {2}protected-paths \[add\|remove x\] +files that are never pruned/);
	});
});

describe("a session with pi-condense's entries", () => {
	it("shows in the tree all that the status counts, and opens each by its ref", async (t) => {
		const { session, refs } = archivedSession();
		const sdk = await openSession(t, {
			entries: session.lines(),
			settings: pruning({ pruneOn: "on-demand" }),
			mode: "rpc",
		});
		const run = async (command: string) => {
			await sdk.prompt(command);
			return sdk.notices.at(-1) ?? "";
		};
		assert.match(await run("/pruner status"), /Archived: 10 tool results, all recoverable\. \/pruner tree shows them/);
		const tree = await run("/pruner tree");
		assert.match(tree, /archived by pi-condense +5 results, 1 block\n/);
		for (const ref of refs) {
			assert.match(tree, new RegExp(`(^|\\s)${ref}\\s`), ref);
			const shown = await run(`/pruner tree ${ref}`);
			if (ref.startsWith("b")) assert.match(shown, /read/);
			// One has no entry on the branch: the index has its text.
			else assert.match(shown, ref === "t3" ? /archived text/ : /line \d of what the tool said/, `${ref}: ${shown}`);
		}
	});
});
