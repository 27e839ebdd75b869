// `/pruner` in pi's own TUI, in a terminal: keys in, screens out.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settingsSchema } from "../harness/core.ts";
import { extensionEntry } from "../harness/paths.ts";
import { labelledSummary, labelsOf } from "../harness/server.ts";
import { startTerminal } from "../harness/tmux.ts";
import { never } from "../harness/waiting.ts";
import { assertScreen, box, panel, part } from "./screen.ts";
import { enter, epochs, everyRow, flushed, gone, press, saved, say, server, skip, withWaitingBatches } from "./talk.ts";

describe("now", { skip }, () => {
	it("shows a row a batch while it works, and what it saved at the end", async () => {
		const { promise: held, resolve: release } = Promise.withResolvers<void>();
		const { terminal, sandbox } = await withWaitingBatches();
		server.script({
			summarizer: async (request) => {
				// Both are asked for at once; the second batch is the one of two calls.
				if (labelsOf(request).length > 1) await held;
				return labelledSummary(request);
			},
		});
		await say(terminal, "/pruner now");
		await assertScreen(terminal, "progress", (screen) =>
			part(screen, /Summarizing: 1 of 2/, /prune: summarizing…/).replace(/\n.*MCP.*/g, ""),
		);
		assert.equal(epochs(sandbox).length, 0);
		release();
		await terminal.until(/summarized 3 tool results/);
		await gone(terminal, /Esc cancels/);
		assert.equal(epochs(sandbox).length, 1);
		await assertScreen(terminal, "flushed", (screen) => part(screen, /pruned 3 results/, /from now on\./));
	});

	it("is cancelled by Esc: nothing is written, and the next one does it again", async () => {
		const { terminal, sandbox } = await withWaitingBatches();
		server.script({ summarizer: () => ({ after: never }) });
		await say(terminal, "/pruner now");
		await terminal.until(/Summarizing: 0 of 2/);
		terminal.keys("Escape");
		await terminal.until(/cancelled, nothing was changed/);
		await gone(terminal, /Esc cancels/);
		assert.deepEqual(epochs(sandbox), []);
		server.script({ summarizer: labelledSummary });
		await say(terminal, "/pruner now");
		await terminal.until(/summarized 3 tool results in 2 batches/);
	});
});

describe("settings", { skip }, () => {
	it("lists every setting, steps through values, asks for others, and writes each at once", async () => {
		const { terminal, sandbox } = await withWaitingBatches();
		await say(terminal, "/pruner settings");
		await terminal.until(/pi-decant settings/);
		const rows = await everyRow(terminal);
		assert.deepEqual(
			rows.map(({ label }) => label),
			// What is too long for its column is cut in front: a group's settings differ at their ends.
			(await settingsSchema()).map(({ key }) => (key.length > 36 ? key.replace(/^\w+\./, "…") : key)),
		);
		assert.equal(new Set(rows.map(({ column }) => column)).size, 1, "values stand in one column");

		terminal.type("minBatch");
		await terminal.until(/→ minBatchChars +1,000/);
		terminal.keys("Enter");
		await terminal.until(/minBatchChars is now 2,000/);
		await assertScreen(terminal, "settings-changed", (screen) => panel(screen, "pi-decant settings"));
		assert.deepEqual(saved(sandbox), { pruneOn: "on-demand", minBatchChars: 2_000 });

		await press(terminal, "Enter", "Enter");
		await terminal.until(/Enter save/);
		await press(terminal, "C-u");
		await enter(terminal, "12abc");
		await assertScreen(terminal, "settings-refused", (screen) => panel(screen, "minBatchChars"));
		await press(terminal, "C-u");
		await enter(terminal, "1500");
		await terminal.until(/minBatchChars is now 1,500 \(was 5,000\)/);
		assert.deepEqual(saved(sandbox), { pruneOn: "on-demand", minBatchChars: 1_500 });

		await press(terminal, "C-u");
		terminal.type("protectedPaths");
		await terminal.until(/→ protectedPaths/);
		terminal.keys("Enter");
		await terminal.until(/Separate with spaces/);
		await enter(terminal, ' "my docs/**"');
		await terminal.until(/→ protectedPaths +\*\*\/skills\/\*\*\/\*\.md "my docs\/\*\*"/);

		await press(terminal, "C-u");
		terminal.type("summarizerModel");
		await terminal.until(/→ summarizerModel/);
		terminal.keys("Enter");
		await terminal.until(/→ default \(the session's model\)/);
		await press(terminal, "Down", "Enter");
		await terminal.until(/→ summarizerModel +scripted\/scripted-1/);
		terminal.keys("Escape");
		await gone(terminal, /Type to search/);
		assert.deepEqual(saved(sandbox), {
			pruneOn: "on-demand",
			minBatchChars: 1_500,
			summarizerModel: "scripted/scripted-1",
			protectedPaths: ["**/skills/**/*.md", "my docs/**"],
		});
	});

	it("is searched by whole keys, and every key it shows is one that can be typed", async () => {
		const { terminal } = await withWaitingBatches();
		await say(terminal, "/pruner settings");
		await terminal.until(/pi-decant settings/);
		terminal.type("chainCompr");
		await terminal.until(/> chainCompr/);
		const rows = await everyRow(terminal);
		const group = (await settingsSchema()).filter(({ key }) => key.startsWith("chainCompression."));
		assert.equal(rows.length, group.length);
		assert.ok(rows.some(({ label }) => label === "chainCompression.maxShare"));
		await press(terminal, "C-u");
		terminal.type("stripFinal");
		await terminal.until(/chainCompression\.stripFinalAssistantThinking: Drop/);
		terminal.type("zzz");
		await terminal.until(/Nothing matches\./);
		terminal.keys("Escape");
		await gone(terminal, /Type to search/);
		await say(terminal, "/pruner settings chainCompression.maxShare 0.2");
		await terminal.until(/chainCompression\.maxShare is now 20% \(was 15%\)/);
	});

	it("fits 80 columns and 24 rows", async () => {
		const { terminal } = await withWaitingBatches({ columns: 80, rows: 24 });
		await say(terminal, "/pruner settings");
		await terminal.until(/pi-decant settings/);
		await assertScreen(terminal, "settings-80x24", (screen) => panel(screen, "pi-decant settings"));
	});
});

describe("tree", { skip }, () => {
	it("folds, opens summaries and originals, and goes back", async () => {
		const { terminal } = await flushed();
		await say(terminal, "/pruner tree");
		await terminal.until(/Pruned on this branch/);
		const tree = (screen: string) => panel(screen, "Pruned on this branch");
		await press(terminal, "Down", "Right", "Down", "Down", "Right");
		await assertScreen(terminal, "tree", tree);

		terminal.keys("C-o");
		await assertScreen(terminal, "tree-summary", box);
		terminal.keys("Escape");
		// Alone: with another key right behind it, it would be that key with Alt.
		await gone(terminal, /┌─/);
		await press(terminal, "Down", "Enter");
		await terminal.until(/t2 · read/);
		terminal.keys("PageDown");
		await assertScreen(terminal, "tree-call", box);
		await press(terminal, "q");

		await press(terminal, "Left", "Left");
		await assertScreen(terminal, "tree-folded", tree);
		terminal.keys("q");
		await gone(terminal, /Pruned on this branch/);
	});

	it("keeps its columns at 80 in both of pi's screen modes, and its colors follow the theme", async () => {
		const colors = [];
		for (const look of [
			{ theme: "dark", tuiMode: "fullscreen" },
			{ theme: "light", tuiMode: "regular" },
		]) {
			const { terminal } = await flushed({ columns: 80, settings: look });
			await say(terminal, "/pruner tree");
			await terminal.until(/Pruned on this branch/);
			await press(terminal, "Down", "Right");
			await assertScreen(terminal, "tree-80", (screen) => panel(screen, "Pruned on this branch"));
			const selected = terminal
				.colored()
				.split("\n")
				.find((line) => line.includes("→"));
			colors.push(selected);
		}
		assert.notEqual(colors[0], colors[1]);
		assert.ok(colors[0]?.includes("\u001b["), colors[0]);
	});
});

describe("elsewhere", { skip }, () => {
	it("a bare /pruner offers the commands, and runs the one that is chosen", async () => {
		const { terminal } = await withWaitingBatches();
		await say(terminal, "/pruner");
		await terminal.until(/Type to search/);
		await assertScreen(terminal, "picker", (screen) => panel(screen, "pi-decant"));
		terminal.type("stat");
		await terminal.until(/→ (status|stats)/);
		await press(terminal, "C-u");
		terminal.type("thinking");
		await terminal.until(/→ thinking/);
		terminal.keys("Enter");
		await terminal.until(/Thinking level of the summarizer/);
		await press(terminal, "Down", "Down", "Enter");
		await terminal.until(/summarizerThinking is now minimal \(was default\)/);
	});

	it("completes subcommands and what follows them", async () => {
		const { terminal } = await withWaitingBatches();
		terminal.type("/pruner pr");
		await assertScreen(terminal, "completion", (screen) => part(screen, /\/pruner pr/, /protected-paths/));
		terminal.keys("Tab");
		await terminal.until(/\/pruner prune-on/);
		terminal.type("ag");
		await terminal.until(/→ agent-message/);
		await press(terminal, "Tab", "Enter");
		await terminal.until(/pruneOn is now agent-message \(was on-demand\)/);
	});

	it("a resumed session shows its epochs, and their summaries when expanded", async () => {
		const { terminal, sandbox } = await flushed();
		terminal.stop();
		const again = startTerminal(sandbox, { extensions: [extensionEntry], args: ["-c"] });
		const screen = await again.until(/pruned 3 results, 7k -> \d+ tokens \(t1\.\.t3\)/);
		assert.doesNotMatch(screen, /looked at/);
		again.keys("C-o");
		await again.until(/t2 looked at; nothing unusual\./);
	});
});
