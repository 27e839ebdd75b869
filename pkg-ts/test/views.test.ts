import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryRenderer, Theme } from "@earendil-works/pi-coding-agent";
import * as piTui from "@earendil-works/pi-tui";
import type { FlushPlan } from "../src/boundary.ts";
import type { Host } from "../src/host.ts";
import { registerEpochRenderer } from "../src/ui/epoch-entry.ts";
import type { EpochNode } from "../src/ui/epochs.ts";
import { clock, count, dollars, refList } from "../src/ui/format.ts";
import { savedPerRequest } from "../src/ui/money.ts";
import { originalMarkdown } from "../src/ui/original.ts";
import { ProgressBoard } from "../src/ui/progress-board.ts";
import { statusLine } from "../src/ui/status-line.ts";
import { treeRows } from "../src/ui/tree-rows.ts";
import { FakeCommands } from "./fake-commands.ts";

const NOON = new Date(2026, 2, 4, 12, 0).getTime();

const EPOCHS: EpochNode[] = [
	{
		reason: "flush",
		trigger: "agent-message",
		timestamp: NOON - 86_400_000,
		savedUnits: 144_000,
		blocks: [],
		batches: [
			{
				turn: 2,
				outcome: "summarized",
				text: "- `t1` the parser\n- `t2` the log\n\n---\n**Summarized tool refs**: `t1`, `t2`\nUse `context_tree_query` with these refs.",
				rawUnits: 160_000,
				results: [
					{ ref: "t1", entryId: "a", tool: "read", path: "src/parser.ts", units: 12_000 },
					{ ref: "t2", entryId: "b", tool: "bash", units: 148_000 },
				],
			},
			{ turn: 3, outcome: "skipped-trivial", rawUnits: 40, results: [{ entryId: "c", tool: "bash", units: 40 }] },
			{
				turn: 5,
				outcome: "skipped-deduped",
				rawUnits: 12_000,
				results: [{ ref: "t3", entryId: "d", tool: "read", path: "src/parser.ts", units: 12_000, same: "t1" }],
			},
		],
	},
	{
		reason: "spill",
		trigger: "spill",
		timestamp: NOON,
		savedUnits: 800_000,
		blocks: [{ id: "b1", body: "the parser was mended", refs: ["t1", "t2"], merged: ["b0"], results: [] }],
		batches: [
			{
				turn: 7,
				outcome: "spilled",
				rawUnits: 812_000,
				results: [{ ref: "t4", entryId: "e", tool: "bash", units: 812_000, spillPath: "/blobs/x.txt" }],
			},
		],
	},
];

test("the status line, in all its states", () => {
	const well = { unresolvedBlocks: 0, droppedResults: 0 };
	const report = { enabled: true, sizes: { before: 368_000, after: 56_000 }, pendingCalls: 3, ...well };
	const nothing = { ...report, sizes: { before: 0, after: 0 } };
	assert.equal(statusLine(report, { summarizing: false }), "│ prune: ON · 92k->14k (-85%) │");
	assert.equal(statusLine(nothing, { summarizing: false }), "│ prune: ON │");
	assert.equal(
		statusLine({ ...report, unresolvedBlocks: 1, droppedResults: 2 }, { summarizing: false }),
		"│ prune: ON · 92k->14k (-85%) · diag u1/o2 │",
	);
	assert.equal(statusLine({ ...nothing, droppedResults: 1 }, { summarizing: false }), "│ prune: ON · diag o1 │");
	assert.equal(statusLine({ ...report, enabled: false }, { summarizing: true }), "│ prune: OFF │");
	assert.equal(statusLine(report, { summarizing: false, capturing: true }), "│ prune: 3 pending │");
	assert.equal(
		statusLine({ ...report, pendingCalls: 0 }, { summarizing: false, capturing: true }),
		"│ prune: ON · 92k->14k (-85%) │",
	);
	assert.equal(statusLine(report, { summarizing: true, capturing: true }), "│ prune: summarizing… │");
});

test("figures in words", () => {
	assert.deepEqual(
		[count(1, "batch"), count(2, "batch"), count(3, "epoch"), count(2, "flush")],
		["1 batch", "2 batches", "3 epochs", "2 flushes"],
	);
	assert.deepEqual([0, 0.00001, 0.0034, 0.42, 12.3].map(dollars), [
		"$0.00",
		"less than $0.0001",
		"$0.0034",
		"$0.42",
		"$12.30",
	]);
	assert.equal(refList(["t3", "t1", "t2", "t10", "t11", "t20"]), "t1..t3, t10..t11, t20");
	assert.equal(refList([]), "");
	assert.equal(clock(NOON, NOON + 1), "12:00");
	assert.equal(clock(NOON - 86_400_000, NOON), "Mar 3 12:00");
	assert.equal(savedPerRequest(4_000_000, { input: 3, cacheRead: 0.3 }), 0.3);
	assert.equal(savedPerRequest(4_000_000, { input: 3, cacheRead: 0 }), 3);
	assert.equal(savedPerRequest(4_000_000, { input: 0, cacheRead: 0 }), undefined);
});

test("status: money, budget, protection and the last flush, where there is something to say", async () => {
	const pi = new FakeCommands({ contextPrune: { autoBudgetThreshold: 0.8, budgetTurnDelta: 0.2 } });
	const plain = await pi.run("status");
	assert.doesNotMatch(plain, /price|provider counted|Protected|Last flush|NaN|undefined/);
	pi.model = {
		...{ provider: "fake", id: "one", contextWindow: 1_000_000 },
		cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
	};
	const usage = { input: 1_000, output: 10, cacheRead: 12_000, cacheWrite: 1_000, cost: { total: 0.0105 } };
	pi.tree.add({ type: "message", message: { role: "assistant", content: [], usage } });
	if (pi.report)
		Object.assign(pi.report, {
			protectedUnmatched: ["my tool", "x/**", "**/skills/**/*.md"],
			pendingCalls: 3,
			pendingUnits: 20_000,
		});
	pi.lastFlush = { kind: "failed", failures: [{ message: "fake/one: stalled" }] };
	const lines = (await pi.run("status")).split("\n");
	for (const line of [
		"Last request: 92k->14k (-85%) tokens, 7 tool results shown as summaries, about $0.0234 less at the cached price.",
		"The provider counted 14k tokens, 12k of them from its cache, $0.0105 with the answer.",
		"Waiting: 3 tool results, about 5k tokens; summarized after the next reply.",
		// The window is taken for no larger than budgetCeilingTokens.
		"Next request: about 14k tokens without the system prompt, 1% of 1M. A task is flushed in its middle from 240k tokens on, or when a turn adds 60k.",
		'Protected, but matching nothing here so far: "my tool" x/**.',
		"Last flush: summarizing failed (fake/one: stalled). Nothing was pruned; the next flush tries again.",
	])
		assert.ok(lines.includes(line), `${line}\nis not in\n${lines.join("\n")}`);
	pi.report = undefined;
	assert.match(await pi.run("status"), /The ledger of this session cannot be read/);
});

test("stats add up the branch", async () => {
	const pi = new FakeCommands();
	assert.match(await pi.run("stats"), /Flushes {5}none\n {2}Summarized {2}nothing\n/);
	pi.epochs = EPOCHS;
	assert.equal(
		await pi.run("stats"),
		[
			"pi-decant on this branch:",
			"  Flushes     1 after a reply",
			"  Summarized  2 results in 1 batch, 40k -> 29 tokens",
			"  Left as is  1 batch (too small), 1 batch (same output as before)",
			"  In files    1 result",
			"  By tool     bash 240k, read 6k",
			"  Saved       78k tokens in each request",
			"  Spent       4 summarizer calls, 40k tokens in, 2.1k out, $0.0123",
		].join("\n"),
	);
});

test("the tree as text shows summaries, what was left, duplicates and files; a ref shows its original", async () => {
	const pi = new FakeCommands();
	assert.equal(await pi.run("tree"), "pi-decant: nothing was pruned on this branch yet.");
	pi.epochs = EPOCHS;
	const text = await pi.run("tree");
	assert.equal(
		text,
		[
			"▾ Mar 3 12:00  flush, after a reply          4 results, 36k tokens saved",
			"  ▾ turn 2  summary                          2 results, 40k->29",
			"      | - `t1` the parser",
			"      | - `t2` the log",
			"      t1   read src/parser.ts                3k",
			"      t2   bash                              37k",
			"  ▾ turn 3  skipped: too small               1 result, 10",
			"      -    bash                              10",
			"  ▾ turn 5  skipped: same output as before   1 result, 3k",
			"      t3   read src/parser.ts                3k, same as t1",
			"▾ Mar 4 12:00  large output put into a file  1 result, 1 block, 200k tokens saved",
			"  ▾ turn 7  in a file                        1 result, 203k",
			"      t4   bash                              203k, in a file",
			"    block b1  a finished task                2 results, 5 tokens now, with b0 in it",
			"      | the parser was mended",
		].join("\n"),
	);
	const call = { type: "toolCall", id: "c1", name: "read", arguments: { path: "src/parser.ts" } };
	pi.tree.add({ type: "message", message: { role: "assistant", content: [call] } });
	const message = {
		role: "toolResult",
		toolCallId: "c1",
		toolName: "read",
		content: [{ type: "text", text: "a ``` b" }],
	};
	const entryId = pi.tree.add({ type: "message", message });
	pi.epochs = [
		{
			...{ reason: "flush", trigger: "on-demand", timestamp: NOON, savedUnits: 1, blocks: [] },
			batches: [
				{
					...{ turn: 0, outcome: "summarized", rawUnits: 7 },
					results: [{ ref: "t1", entryId, tool: "read", path: "src/parser.ts", units: 7 }],
				},
			],
		},
	];
	assert.equal(
		await pi.run("tree t1"),
		't1 · read src/parser.ts\n\n**Arguments**\n\n```json\n{\n  "path": "src/parser.ts"\n}\n```\n\n**Output** (7 characters)\n\n````\na ``` b\n````',
	);
	assert.match(await pi.run("tree t9"), /nothing on this branch has the ref "t9"/);
});

test("folded rows are not there, and a row keeps its id", () => {
	const ids = (open: string[]) => treeRows(EPOCHS, (id) => open.includes(id), NOON).map(({ id }) => id);
	assert.deepEqual(ids([]), ["e0", "e1"]);
	assert.deepEqual(ids(["e0", "e0/0"]), ["e0", "e0/0", "e0/0/a", "e0/0/b", "e0/1", "e0/2", "e1"]);
});

test("an original is cut at its head, never inside a surrogate pair", () => {
	const text = `${"x".repeat(7_999)}𝄞tail`;
	const shown = originalMarkdown({ tool: "read", text });
	assert.match(shown, /^\*\*Output\*\* \(8,005 characters, the first 7,999\)/);
	assert.ok(shown.isWellFormed());
});

test("progress shows the rows around the work, aligned", () => {
	const plan: FlushPlan = {
		id: 1,
		leafId: "x",
		batches: Array.from({ length: 12 }, (_, at) => ({
			prompt: "",
			turn: at * 10,
			rawUnits: 1_000 * (at + 1),
			calls: Array.from({ length: (at % 3) + 1 }, () => ({ entryId: "e", toolName: "read", ref: "t1" })),
		})),
		skipped: [{ turn: 5, outcome: "skipped-trivial", calls: 1 }],
		fusions: [],
	};
	let changes = 0;
	const board = new ProgressBoard(() => {
		changes += 1;
	});
	assert.equal(board.title, undefined);
	board.planned(plan);
	for (let at = 0; at < 6; at++) board.batch(at, { kind: "done", units: 100 });
	board.batch(4, { kind: "skipped", why: "the summary would be longer" });
	board.batch(5, { kind: "failed", message: "stalled" });
	board.batch(6, { kind: "running", units: 50 });
	board.batch(99, { kind: "running" });
	assert.equal(changes, 10);
	assert.equal(board.title, "Summarizing: 6 of 12 batches done");
	assert.deepEqual(
		board.rows.map(({ mark, text }) => `${mark === "spinner" ? "*" : mark} ${text}`),
		[
			"⚠ turn 40   read x2  2 results  skipped: the summary would be longer",
			"✗ turn 50   read x3  3 results  failed, the next flush tries again",
			"* turn 60   read     1 result   7k chars -> 50 so far",
			"○ turn 70   read x2  2 results  8k chars, pending",
			"○ turn 80   read x3  3 results  9k chars, pending",
			"○ turn 90   read     1 result   10k chars, pending",
			"○ turn 100  read x2  2 results  11k chars, pending",
			"○ turn 110  read x3  3 results  12k chars, pending",
		],
	);
});

test("an epoch is one line in the transcript, and its summaries when expanded", () => {
	let renderer: EntryRenderer | undefined;
	const plain = (text: string) => text;
	const host = { piTui, piCodingAgent: { getMarkdownTheme: () => new Proxy({}, { get: () => plain }) } };
	registerEpochRenderer(
		{
			registerEntryRenderer: (type, each) => {
				assert.equal(type, "context-prune-epoch");
				renderer = each as EntryRenderer;
			},
		},
		host as unknown as Host,
	);
	const shown = (data: unknown, expanded = false) =>
		renderer?.({ data } as never, { expanded } as never, { fg: (_color: string, text: string) => text } as Theme)
			?.render(100)
			.map((line) => line.trim())
			.filter((line) => line !== "");
	const data = {
		...{ v: 1, reason: "flush", trigger: "agent-message" },
		predicted: { removedUnits: 152_000, addedUnits: 8_000 },
		batches: [
			{
				turn: 0,
				outcome: "summarized",
				text: "- the parser",
				results: [
					{ entry: "a", ref: "t1" },
					{ entry: "b", ref: "t2" },
				],
			},
			{ turn: 1, outcome: "skipped-trivial", results: [{ entry: "c" }] },
		],
	};
	assert.deepEqual(shown(data), ["pi-decant: pruned 2 results, 38k -> 2k tokens (t1..t2)"]);
	assert.deepEqual(shown(data, true), ["pi-decant: pruned 2 results, 38k -> 2k tokens (t1..t2)", "- the parser"]);
	assert.deepEqual(shown({ v: 1, reason: "switched-off" }), ["pi-decant: pruning switched off"]);
	assert.deepEqual(shown(undefined), ["pi-decant: flush"]);
	assert.deepEqual(shown({ batches: [null, 3, { results: "x" }] }), ["pi-decant: flush"]);
});
