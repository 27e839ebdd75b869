import assert from "node:assert/strict";
import { test } from "node:test";
import type { EpochNode } from "../src/ui/epochs.ts";
import { tally } from "../src/ui/tally.ts";
import { treeRows, treeTitle } from "../src/ui/tree-rows.ts";
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
			"  Repeated    1 result, 3k tokens, pruned without a summary",
			"  In files    1 result",
			"  By tool     bash 240k, read 6k",
			"  Left as is  1 result (too small)",
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
			"Pruned on this branch: 4 results (1 repeated) in 2 epochs, 1 left as it is",
			"▾ Mar 3 12:00  flush, after a reply          3 results, 1 left, 36k tokens saved",
			"  ▾ turn 2  summary                          2 results, 40k->29",
			"      | - `t1` the parser",
			"      | - `t2` the log",
			"      t1   read src/parser.ts                3k",
			"      t2   bash                              37k",
			"  ▾ turn 3  left as is: too small            1 result, 10",
			"      -    bash                              10",
			"  ▾ turn 5  repeated output                  1 result, 3k",
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

test("what the original archived is shown as its own, and its text where no entry has it", async () => {
	const pi = new FakeCommands();
	pi.epochs = [
		{
			...{ reason: "pi-condense", trigger: "", timestamp: 0, savedUnits: 0, blocks: [] },
			batches: [
				{
					...{ turn: 0, outcome: "archived", rawUnits: 8_000 },
					results: [{ ref: "t1", entryId: "", tool: "read", units: 8_000 }],
				},
			],
		},
	];
	assert.equal(
		await pi.run("tree"),
		[
			"Pruned on this branch: 1 result in 1 epoch",
			"▾ archived by pi-condense  1 result",
			"  ▾ turn 0  archived       1 result, 2k",
			"      t1   read            2k",
		].join("\n"),
	);
	pi.answer = { content: [{ type: "text", text: "## toolRef: t1\nwhole" }], details: { results: [] }, isError: false };
	assert.equal(await pi.run("tree t1"), "t1 · read\n\n## toolRef: t1\nwhole");
	assert.match(await pi.run("stats"), /pi-condense +1 result archived by it/);
	assert.deepEqual(pi.complete("tree t"), ["tree t1"]);
	const results = ["t1", "t2", "t10", "t11"].map((ref) => ({ ref, entryId: ref, tool: "read", units: 1 }));
	pi.epochs = [{ ...EPOCHS[0], batches: [{ turn: 0, outcome: "summarized", rawUnits: 4, results }] } as EpochNode];
	assert.deepEqual(pi.complete("tree t"), ["tree t11", "tree t10", "tree t2", "tree t1"]);
	// Enter takes the first.
	assert.deepEqual(pi.complete("tree t1"), ["tree t1", "tree t11", "tree t10"]);
	assert.equal(pi.complete("tree t2"), null);
});

test("folded rows are not there, and a row keeps its id", () => {
	const ids = (open: string[]) => treeRows(EPOCHS, (id) => open.includes(id), NOON).map(({ id }) => id);
	assert.deepEqual(ids([]), ["e0", "e1"]);
	assert.deepEqual(ids(["e0", "e0/0"]), ["e0", "e0/0", "e0/0/0", "e0/0/1", "e0/1", "e0/2", "e1"]);
});

/** A flush with these parts, of results that are named like their entries. */
function flush(parts: { batches?: Record<string, string[]>; block?: string[]; saved?: number }): EpochNode {
	const results = (ids: string[]) => ids.map((id) => ({ entryId: id, ref: `t${id}`, tool: "read", units: 400 }));
	return {
		...{ reason: "flush", trigger: "now", timestamp: NOON, savedUnits: parts.saved ?? 400 },
		batches: Object.entries(parts.batches ?? {}).map(([outcome, ids]) => ({
			...{ turn: 0, rawUnits: 400, outcome: outcome as never },
			results: results(ids),
		})),
		blocks: parts.block
			? [{ id: "b1", body: "x", refs: parts.block.map((id) => `t${id}`), merged: [], results: results(parts.block) }]
			: [],
	};
}

test("each result counts once: what was left and archived later is left no more, in the tree and in the stats", async () => {
	const pi = new FakeCommands();
	pi.epochs = [
		flush({ batches: { "skipped-trivial": ["3"], summarized: ["5"] } }),
		flush({ block: ["3"] }),
		// Torn: a result that two epochs claim.
		flush({ batches: { summarized: ["5"] } }),
	];
	assert.equal(treeTitle(pi.epochs), "Pruned on this branch: 2 results in 3 epochs");
	assert.match(await pi.run("stats"), /Left as is +nothing/);
	assert.match(await pi.run("stats"), /By tool +read 200/);
	// An epoch's own row says what that epoch did.
	const rows = treeRows(pi.epochs, () => false, NOON).map(({ sizes }) => sizes);
	assert.deepEqual(rows, [
		"1 result, 1 left, 100 tokens saved",
		"1 result, 1 block, 100 tokens saved",
		"1 result, 100 tokens saved",
	]);
	const unknown = flush({ batches: { archived: ["", ""] } });
	assert.equal(treeTitle([unknown]), "Pruned on this branch: 2 results in 1 epoch", "entries that are not known");
});

test("the tree and the transcript's line count by one rule", () => {
	const { pruned, repeated, refs } = tally([flush({ batches: { "skipped-deduped": ["2"] }, block: ["1", "3"] })]);
	assert.deepEqual([pruned, repeated, refs], [3, 1, ["t2", "t1", "t3"]]);
});

test("where no result was pruned the title says what was", () => {
	const title = (...epochs: EpochNode[]) => treeTitle(epochs).replace("Pruned on this branch: ", "");
	const purge = flush({ batches: { purged: ["1", "2"] } });
	assert.equal(title(purge), "arguments of 2 failed calls in 1 epoch");
	assert.equal(title(flush({})), "old thinking in 1 epoch");
	assert.equal(title(purge, flush({})), "arguments of 2 failed calls, old thinking in 2 epochs");
	assert.equal(title(flush({ block: [] })), "1 block for finished tasks in 1 epoch");
	assert.equal(
		title(flush({ batches: { summarized: ["1"], purged: ["1"] } })),
		"1 result, arguments of 1 failed call in 1 epoch",
	);
	const nothing = "Nothing pruned on this branch yet";
	assert.equal(title(flush({ saved: 0 })), nothing);
	assert.equal(title({ ...flush({}), reason: "switched-on" }), nothing);
	assert.equal(title(flush({ batches: { "skipped-trivial": ["1"] }, saved: 0 })), `${nothing}, 1 left as it is`);
	assert.equal(treeRows([purge], () => false, NOON)[0]?.sizes, "2 calls, 100 tokens saved");
});

test("two rows never share an id, whatever shares an entry, a ref or a name", () => {
	const epoch = flush({ batches: { archived: ["1", "1", ""] }, block: ["1", "1"] });
	const odd = {
		...epoch,
		blocks: [...epoch.blocks, ...epoch.blocks, ...epoch.blocks.map((b) => ({ ...b, id: "0/0" }))],
	};
	const ids = treeRows([odd, odd], () => true, NOON).map(({ id }) => id);
	assert.equal(new Set(ids).size, ids.length);
});
