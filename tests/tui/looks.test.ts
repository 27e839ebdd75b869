// What a user sees in the transcript, in the status line, and on screens that are narrow.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { projectFiles } from "../harness/fixtures.ts";
import { extensionEntry } from "../harness/paths.ts";
import { createSandbox } from "../harness/sandbox.ts";
import { labelledSummary } from "../harness/server.ts";
import { startTerminal, type Terminal } from "../harness/tmux.ts";
import { assertScreen, panel, part } from "./screen.ts";
import { flushed, gone, press, say, server, skip, used, withWaitingBatches } from "./talk.ts";

describe("a narrow screen", { skip }, () => {
	it("of 40 columns keeps values, figures and help readable", async () => {
		const { terminal } = await flushed();
		terminal.resize(40, 60);
		await terminal.settled();
		await say(terminal, "/pruner tree");
		await terminal.until(/Pruned on this branch/);
		await press(terminal, "Down", "Right");
		await assertScreen(terminal, "tree-40", (screen) => panel(screen, "Pruned on this branch"));
		terminal.keys("Escape");
		await gone(terminal, /Pruned on this branch/);
		await say(terminal, "/pruner settings");
		await terminal.until(/pi-decant settings/);
		terminal.type("chainC");
		await assertScreen(terminal, "settings-40", (screen) => panel(screen, "pi-decant settings"));
		terminal.keys("Escape");
		await gone(terminal, /Type to search/);
		await say(terminal, "/pruner help");
		await assertScreen(terminal, "help-40", (screen) => part(screen, /^ tree \[ref\]/, /this list/));
	});

	it("of 80 and 110 columns shows the sizes of a tree in full", async () => {
		for (const columns of [80, 110]) {
			const { terminal } = await withWaitingBatches({ columns });
			await say(terminal, "/pruner compact");
			await terminal.until(/finished task became a block/);
			await say(terminal, "/pruner tree");
			await terminal.until(/3 results, 1 block, [\d.k]+ tokens saved\n/);
			terminal.stop();
		}
	});
});

describe("the transcript", { skip }, () => {
	const bash = (command: string) => ({ name: "bash", args: { command } });
	const read = { name: "read", args: { path: "src/parser.ts" } };

	/** Prompts one after the other, each answered by its number. */
	async function talk(terminal: Terminal, ...prompts: string[]): Promise<string> {
		for (const [at, prompt] of prompts.entries()) {
			await say(terminal, prompt);
			await terminal.until((screen) => screen.includes(`answer ${at}`) && /prune: (ON|PAUSED)/.test(screen), prompt);
			await terminal.settled();
		}
		return terminal.screen();
	}

	it("has no line where nothing changed for the model, and one where only a repetition did", async () => {
		const sandbox = createSandbox({
			url: server.url,
			files: projectFiles,
			settings: { quietStartup: true, theme: "dark" },
		});
		used.push(sandbox);
		server.reset();
		server.script({
			agent: [
				...[{ calls: [bash("echo hi")] }, { text: "answer 0" }],
				...[{ calls: [read] }, { text: "answer 1" }],
				...[{ calls: [bash("echo ho")] }, { calls: [read] }, { text: "answer 2" }],
				...[{ text: "answer 3" }],
			],
			summarizer: labelledSummary,
		});
		const terminal = startTerminal(sandbox, { extensions: [extensionEntry], rows: 60 });
		await terminal.until(/prune: ON/);
		const screen = await talk(terminal, "Say hi.", "Read it.", "Again.", "And now?");
		const lines = screen.split("\n").filter((line) => /^ pi-decant: (?!pi-decant is on)/.test(line));
		assert.deepEqual(
			lines.map((line) => line.replace(/[\d.]+k? -> \d+/, "N -> M").trim()).filter((line) => !/is on: /.test(line)),
			["pi-decant: pruned 1 result, N -> M tokens (t1)", "pi-decant: pruned 1 repeated result, N -> M tokens (t2)"],
		);
		await say(terminal, "/pruner tree");
		await assertScreen(terminal, "tree-repeated", (now) => panel(now, "Pruned on this branch"));
		terminal.keys("Escape");
		await gone(terminal, /Pruned on this branch/);
		await say(terminal, "/pruner protected-tools add read");
		await terminal.until(/protectedTools is now read/);
		server.script({ agent: [{ text: "answer 0" }] });
		const after = await talk(terminal, "Go on.");
		assert.doesNotMatch(after, /settings changed/);
		assert.equal(after.match(/protectedTools is now read/g)?.length, 1);
	});

	it("and the status line say that pruning is paused where our tool is not active", async () => {
		const args = ["--tools", "read,bash"];
		const sandbox = createSandbox({ url: server.url, files: projectFiles, settings: { quietStartup: true } });
		used.push(sandbox);
		server.reset();
		server.script({ agent: [{ calls: [read] }, { text: "answer 0" }], summarizer: labelledSummary });
		const terminal = startTerminal(sandbox, { extensions: [extensionEntry], args });
		await terminal.until(/prune: PAUSED, no context_tree_query/);
		await talk(terminal, "Read it.");
		await say(terminal, "/pruner status");
		await assertScreen(terminal, "status-paused", (screen) =>
			part(screen, /pruning is paused/, /pruning is paused\.$/),
		);
	});
});
