import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { SpilledFile } from "../src/boundary.ts";
import { branchLookup } from "../src/session/lookup.ts";
import { OtherWriters } from "../src/session/other-writers.ts";
import { spill } from "../src/session/spill.ts";
import { EntryWriter } from "../src/session/write.ts";
import { FakeCore, FakeTree } from "./fakes.ts";
import { scratch } from "./scratch.ts";

/** A tree that writes its file as pi does: a line for each entry. */
class FileTree extends FakeTree {
	readonly #path = join(scratch(), "one.jsonl");

	constructor() {
		super();
		this.file = this.#path;
		writeFileSync(this.#path, '{"type":"session","version":3,"id":"session-id","cwd":"/"}\n');
	}

	override add(entry?: Record<string, unknown>): string {
		const id = super.add(entry);
		this.line(this.getEntry(id) as object);
		return id;
	}

	line(entry: object | string): void {
		appendFileSync(this.#path, typeof entry === "string" ? entry : `${JSON.stringify(entry)}\n`);
	}

	get text(): string {
		return readFileSync(this.#path, "utf8");
	}
}

const alone = { seen: () => false };
const draft = { customType: "context-prune-epoch", data: { n: 1 } };

/** pi's `custom` entries carry their id behind the data. */
const foreign = (id: string) => ({ type: "custom", customType: "x", data: { id: "e1" }, id, parentId: null });

test("lines of this process are no other writer's, however large, whatever their key order", () => {
	const tree = new FileTree();
	const others = new OtherWriters();
	others.begin(tree);
	assert.equal(others.seen(tree), false);
	tree.add({ type: "message", message: { text: "é".repeat(300_000) } });
	tree.line({ type: "custom", customType: "x", data: { id: "nobody" }, id: "e1", parentId: null });
	tree.line("not json at all\n\n");
	tree.line('{"torn":');
	assert.equal(others.seen(tree), false);
});

test("a line of another process is seen, and stays seen until the session starts again", () => {
	for (const line of [foreign("zz"), { type: "message", id: "zz", parentId: "e1", message: {} }]) {
		const tree = new FileTree();
		const others = new OtherWriters();
		others.begin(tree);
		tree.add();
		assert.equal(others.seen(tree), false);
		tree.line(line);
		tree.add();
		assert.equal(others.seen(tree), true);
		tree.add();
		assert.equal(others.seen(tree), true);
		others.begin(tree);
		assert.equal(others.seen(tree), false, "what stood there at the start is read by pi");
	}
});

test("a line that is being written is looked at when it is whole", () => {
	const tree = new FileTree();
	const others = new OtherWriters();
	others.begin(tree);
	const line = `${JSON.stringify(foreign("zz"))}\n`;
	tree.line(line.slice(0, 20));
	assert.equal(others.seen(tree), false);
	tree.line(line.slice(20));
	assert.equal(others.seen(tree), true);
});

test("a line added between pi's reading and the session's start is seen", () => {
	const tree = new FileTree();
	tree.add({ type: "message", message: { text: "x".repeat(200_000) } });
	tree.line({ type: "message", id: "zz", parentId: "e1", message: { text: "x".repeat(200_000) } });
	const others = new OtherWriters();
	others.begin(tree);
	assert.equal(others.seen(tree), true);
});

test("a file that is written anew is read anew: pi's migration is fine, another session's lines are not", () => {
	const tree = new FileTree();
	const others = new OtherWriters();
	tree.add({ type: "message", message: { text: "x".repeat(1_000) } });
	tree.add();
	others.begin(tree);
	const path = tree.file as string;
	writeFileSync(path, `${JSON.stringify(tree.getEntry("e1"))}\n`);
	assert.equal(others.seen(tree), false);
	writeFileSync(path, `${JSON.stringify(foreign("zz"))}\n`);
	assert.equal(others.seen(tree), true);
});

test("no file, a folder in its place, a session in memory: nobody else writes there", () => {
	const tree = new FakeTree();
	const others = new OtherWriters();
	for (const file of [undefined, "/nowhere/x.jsonl", tmpdir()]) {
		tree.file = file;
		others.begin(tree);
		assert.equal(others.seen(tree), false, file ?? "in memory");
	}
});

test("the file of a new session appears after the start", () => {
	const tree = new FileTree();
	const path = tree.file as string;
	const others = new OtherWriters();
	tree.file = `${path}.later`;
	others.begin(tree);
	writeFileSync(tree.file, `${tree.text}${JSON.stringify({ type: "message", id: "e1" })}\n`);
	tree.entries.set("e1", {} as never);
	assert.equal(others.seen(tree), false);
	appendFileSync(tree.file, `${JSON.stringify(foreign("zz"))}\n`);
	assert.equal(others.seen(tree), true);

	// Not looked at for long: lines of another process between those of this one are seen all the same.
	tree.file = `${path}.latest`;
	others.begin(tree);
	const ours = JSON.stringify({ type: "message", id: "e1" });
	writeFileSync(tree.file, `${ours}\n${JSON.stringify(foreign("zz"))}\n${ours}\n`);
	assert.equal(others.seen(tree), true);
});

test("an entry that pi refuses is reported", () => {
	const tree = new FakeTree();
	const full = { appendEntry: () => assert.fail("ENOSPC: no space left on device") };
	const failed = { ok: false, shared: false };
	assert.deepEqual(new EntryWriter(full, alone).write(tree, draft), {
		...failed,
		message: "ENOSPC: no space left on device",
	});
	assert.deepEqual(new EntryWriter({ appendEntry: () => {} }, alone).write(tree, draft), {
		...failed,
		message: "pi did not take the entry",
	});
	const takes = { appendEntry: () => void tree.add() };
	assert.deepEqual(new EntryWriter(takes, alone).write(tree, draft), { ok: true, id: "e1" });
	assert.deepEqual(new EntryWriter(takes, { seen: () => true }).write(tree, draft), {
		ok: false,
		shared: true,
		message: "another process writes to the session file",
	});
	assert.equal(tree.entries.size, 1);
});

test("half a line that a full disk left behind is cut off again, anything else is not touched", () => {
	for (const [left, stays] of [
		['{"type":"custom","data":"half', ""],
		['{"type":"message","id":"other"}\n{"half', '{"type":"message","id":"other"}\n{"half'],
	] as const) {
		const tree = new FileTree();
		const before = tree.text;
		const fillsUp = {
			appendEntry: () => {
				tree.line(left);
				throw new Error("ENOSPC");
			},
		};
		assert.equal(new EntryWriter(fillsUp, alone).write(tree, draft).ok, false);
		assert.equal(tree.text, before + stays);
	}
});

function spillFixture(appendEntry: (tree: FileTree) => void = (tree) => void tree.add()) {
	const tree = new FileTree();
	const core = new FakeCore();
	const orders = ["eins ✓", "zwei"].map((text, n) => ({ entryId: tree.result(text), fileName: `${n}.txt` }));
	const told: SpilledFile[][] = [];
	core.commitSpill = (files) => {
		told.push(files);
		return draft;
	};
	const folder = join(tree.getSessionDir(), "session-id-blobs");
	const writer = new EntryWriter({ appendEntry: () => appendEntry(tree) }, alone);
	const run = () => spill(core, orders, { view: tree, writer, lookup: branchLookup(tree) });
	return { tree, core, told, folder, run, orders };
}

test("spilled texts stand whole in files only the user may read, known by one entry, folded at once", () => {
	const { tree, core, told, folder, run } = spillFixture();
	assert.equal(run(), undefined);
	assert.deepEqual(
		told[0]?.map(({ path, bytes }) => [readFileSync(path, "utf8"), bytes, statSync(path).mode & 0o777]),
		[
			["eins ✓", 8, 0o600],
			["zwei", 4, 0o600],
		],
	);
	assert.equal(statSync(folder).mode & 0o777, 0o700);
	assert.deepEqual(readdirSync(folder), ["0.txt", "1.txt"], "no temporary file stays");
	assert.equal(core.leafId, tree.leaf);
});

test("a folder that cannot be made, or an entry that cannot be written: nothing has changed, no file stays", () => {
	const blocked = spillFixture();
	writeFileSync(blocked.folder, "in the way");
	assert.match(blocked.run()?.message ?? "", /EEXIST|ENOTDIR/);
	assert.deepEqual(blocked.told, []);

	const half = spillFixture();
	mkdirSync(join(half.folder, "1.txt"), { recursive: true });
	assert.ok(half.run());
	assert.deepEqual([half.told, readdirSync(half.folder)], [[], ["1.txt"]], "the first file is gone again");

	const full = spillFixture(() => {
		throw new Error("ENOSPC");
	});
	assert.deepEqual(full.run(), { message: "ENOSPC", shared: false });
	assert.deepEqual(readdirSync(full.folder), []);
});

test("a session in memory spills nothing; a result that was edited away is left out", () => {
	const memory = spillFixture();
	memory.tree.file = undefined;
	assert.equal(memory.run(), undefined);
	assert.deepEqual(memory.told, []);

	const edited = spillFixture();
	edited.tree.add({ type: "context_edit", targetId: edited.orders[0]?.entryId, replacement: null });
	assert.equal(edited.run(), undefined);
	assert.deepEqual(
		edited.told[0]?.map(({ entryId }) => entryId),
		[edited.orders[1]?.entryId],
	);
	assert.equal(existsSync(join(edited.folder, "0.txt")), false);
});
