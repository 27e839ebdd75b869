// Every ref the ledger has given is in the tree, whoever wrote it, and opens what the model would get.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { archivedSession } from "../harness/archived.ts";
import { type Entry, SessionBuilder } from "../harness/sessions.ts";
import { load } from "./boundary.ts";

describe("the tree", () => {
	it("has every ref of the ledger, pi-condense's too, each with a way to its text", () => {
		const { entries, refs } = archivedSession();
		const session = load(entries);
		const tree = session.tree();
		const blocks = tree.flatMap((epoch) => epoch.blocks);
		const results = [...tree.flatMap((epoch) => epoch.batches), ...blocks].flatMap((part) => part.results);
		const shown = [...results.flatMap(({ ref }) => ref ?? []), ...blocks.map(({ id }) => id)];
		assert.deepEqual([...new Set(shown)].sort(), refs.toSorted());
		// What has no ref, such as the original's files, is there as well.
		assert.equal(results.length, session.report().refs);
		const byId = new Map(entries.map((entry) => [entry.id, entry]));
		const { details, content } = session.query(refs, (id) => byId.get(id), undefined);
		assert.deepEqual([...new Set(details.results.filter(({ found }) => !found).map(({ id }) => id))], []);
		assert.ok(content.length >= refs.length);
		for (const { entryId, ref } of results) assert.equal(entryId === "", ref === "t3", ref ?? "no ref");
		session.free();
	});

	it("puts what pi-condense archived into one group before ours, and has none where it never was", () => {
		const session = load(archivedSession().entries);
		const [first, ...rest] = session.tree();
		assert.deepEqual([first?.reason, rest.map(({ reason }) => reason)], ["pi-condense", ["flush"]]);
		assert.deepEqual(
			first?.batches.map(({ outcome, results }) => [outcome, results.map(({ ref, spillPath }) => ref ?? spillPath)]),
			[["archived", ["t1", "t2", "/blobs/3.txt", "t1", "t3"]]],
		);
		assert.ok((first?.timestamp ?? 0) > Date.UTC(2026, 0, 1));
		session.free();
		const plain = new SessionBuilder();
		plain.user("Look.");
		plain.assistant("Seen.");
		const none = load(plain.entries);
		assert.deepEqual(none.tree(), []);
		none.free();
	});

	it("tells pi-condense's t1 and b1 from ours, and ours without a ref from its", () => {
		const session = new SessionBuilder();
		const start = session.user("Look.");
		const read = (n: number) => {
			const { results } = session.toolTurn([{ name: "read", args: { path: `${n}.ts` }, result: `${n} `.repeat(400) }]);
			return session.entries.find(({ id }) => id === results[0]) as Entry;
		};
		const [first, second, third, fourth] = [1, 2, 3, 4].map(read) as [Entry, Entry, Entry, Entry];
		const end = session.assistant("Seen.");
		const block = { id: "b1", start, end, body: "ours", refs: ["t1"], results: [{ entry: third.id, tool: "read" }] };
		session.custom("context-prune-epoch", {
			...{ v: 1, reason: "flush", trigger: "now", predicted: { removedUnits: 900, addedUnits: 9 }, blocks: [block] },
			batches: [
				{
					...{ turn: 0, outcome: "summarized", text: "- read", placement: "message", rawUnits: 1 },
					results: [{ entry: first.id, tool: "read", ref: "t1" }],
				},
			],
		});
		// It knows nothing of us and counts from the beginning: `t1` for another result, then for the very same one.
		session.user("Again.");
		session.assistant("Yes.");
		const messages = session.entries.filter(({ message }) => message) as unknown as {
			message: { timestamp: number };
		}[];
		for (const [shortId, entry] of [
			["t1", second],
			["t1", first],
			["t2", fourth],
		] as const) {
			const { toolCallId, timestamp } = entry.message as { toolCallId: string; timestamp: number };
			const key = { toolCallId, resultTimestamp: timestamp };
			const call = { ...key, toolName: "read", args: {}, isError: false, turnIndex: 9, timestamp: 5, resultText: "x" };
			session.custom("context-prune-index", { toolCalls: [call], refs: [{ shortId, ...key }] });
		}
		session.custom("context-prune-chain", {
			...{ blockId: "b1", toolRefs: ["t1"], protectedToolCallIds: [], rangeSummaryText: "its" },
			startUserTimestamp: messages.at(-2)?.message.timestamp,
			finalAssistantTimestamp: messages.at(-1)?.message.timestamp,
		});
		const loaded = load(session.entries);
		const told = loaded.tree().map(({ reason, batches, blocks }) => ({
			reason,
			results: [...batches, ...blocks].flatMap(({ results }) => results.map(({ ref, entryId }) => [ref, entryId])),
			blocks: blocks.map(({ body }) => body),
		}));
		assert.deepEqual(told, [
			{
				reason: "pi-condense",
				results: [
					["t1", second.id],
					["t1", first.id],
					["t2", fourth.id],
				],
				blocks: ["its"],
			},
			{
				reason: "flush",
				results: [
					["t1", first.id],
					[undefined, third.id],
				],
				blocks: ["ours"],
			},
		]);
		loaded.free();
	});

	it("shows an alias of pi-condense as the result it stands for, not as its original", () => {
		const { entries } = archivedSession();
		const session = load(entries);
		const results = session.tree()[0]?.batches.flatMap((batch) => batch.results) ?? [];
		const aliased = results.filter(({ ref }) => ref === "t1").map(({ entryId }) => entryId);
		assert.equal(new Set(aliased).size, 2);
		session.free();
	});
});
