// Every ref the ledger has given is in the tree, whoever wrote it, and opens what the model would get.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { archivedSession } from "../harness/archived.ts";
import { SessionBuilder } from "../harness/sessions.ts";
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
});
