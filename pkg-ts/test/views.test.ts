import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryRenderer, Theme } from "@earendil-works/pi-coding-agent";
import * as piTui from "@earendil-works/pi-tui";
import type { FlushPlan } from "../src/boundary.ts";
import type { Host } from "../src/host.ts";
import { registerEpochRenderer } from "../src/ui/epoch-entry.ts";
import { clock, count, dollars, refList } from "../src/ui/format.ts";
import { savedPerRequest } from "../src/ui/money.ts";
import { originalMarkdown } from "../src/ui/original.ts";
import { pauseOf } from "../src/ui/pause.ts";
import { ProgressBoard } from "../src/ui/progress-board.ts";
import { statusLine } from "../src/ui/status-line.ts";

const NOON = new Date(2026, 2, 4, 12, 0).getTime();

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
	const paused = { summarizing: false, capturing: true, paused: pauseOf("shared").short };
	assert.equal(statusLine(report, paused), "│ prune: PAUSED, another pi writes here · 92k->14k (-85%) │");
	assert.equal(statusLine({ ...report, enabled: false }, paused), "│ prune: OFF │");
	assert.equal(statusLine(report, { summarizing: true, capturing: true }), "│ prune: summarizing… │");
});

test("figures in words", () => {
	assert.deepEqual(
		[count(1, "batch"), count(2, "batch"), count(3, "epoch"), count(2, "flush"), count(2, "summary")],
		["1 batch", "2 batches", "3 epochs", "2 flushes", "2 summaries"],
	);
	assert.deepEqual([0, 0.00001, 0.0034, 0.42, 12.3].map(dollars), [
		"$0.00",
		"less than $0.0001",
		"$0.0034",
		"$0.42",
		"$12.30",
	]);
	assert.equal(refList(["t3", "t1", "t2", "t10", "t11", "t20"]), "t1..t3, t10, t11, t20");
	assert.equal(refList([]), "");
	assert.equal(refList(["t2", `t${"9".repeat(400)}`]), `t2, t${"9".repeat(400)}`);
	assert.equal(clock(NOON, NOON + 1), "12:00");
	assert.equal(clock(NOON - 86_400_000, NOON), "Mar 3 12:00");
	assert.equal(savedPerRequest(4_000_000, { input: 3, cacheRead: 0.3 }), 0.3);
	assert.equal(savedPerRequest(4_000_000, { input: 3, cacheRead: 0 }), 3);
	assert.equal(savedPerRequest(4_000_000, { input: 0, cacheRead: 0 }), undefined);
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
	const line = "pi-decant: pruned 2 results, 38k -> 2k tokens (t1, t2)";
	assert.deepEqual([shown(data), shown(data, true)], [[line], [line, "- the parser"]]);
	const same = { turn: 2, outcome: "skipped-deduped", results: [{ entry: "d", ref: "t3", same: "t1" }] };
	assert.deepEqual(shown({ ...data, batches: [...data.batches, same] }), [
		"pi-decant: pruned 3 results (1 repeated), 38k -> 2k tokens (t1..t3)",
	]);
	assert.deepEqual(shown({ ...data, batches: [same, data.batches[1]] }), [
		"pi-decant: pruned 1 repeated result, 38k -> 2k tokens (t3)",
	]);
	const blocks = [{ id: "b1", body: "mended" }];
	assert.deepEqual(shown({ ...data, batches: [], blocks }), [
		"pi-decant: 1 block for finished tasks (b1), 38k -> 2k tokens",
	]);
	// Nothing was taken away: no line, not even an empty one.
	for (const silent of [
		{ ...data, batches: [data.batches[1]] },
		{ ...data, batches: [{ turn: 1, outcome: "skipped-oversized", results: [{ entry: "c" }] }] },
		...["switched-off", "switched-on", "settings", "live"].map((reason) => ({ v: 1, reason, batches: [] })),
		undefined,
		{ batches: [null, 3, { results: "x" }] },
	])
		assert.equal(shown(silent), undefined);
});
