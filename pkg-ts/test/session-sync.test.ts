import assert from "node:assert/strict";
import { test } from "node:test";
import { branchLookup } from "../src/session/lookup.ts";
import { isOnBranch, sync } from "../src/session/sync.ts";
import { FakeCore, FakeTree } from "./fakes.ts";

const ids = (core: FakeCore) => core.folded.map((entry) => (entry as { id: string }).id).join();

test("an empty core loads the branch once and goes on at its end", () => {
	const [tree, core] = [new FakeTree(), new FakeCore()];
	tree.add();
	tree.add();
	sync(core, tree);
	tree.add();
	sync(core, tree);
	sync(core, tree);
	assert.deepEqual([ids(core), core.loads], ["e1,e2,e3", 1]);
});

test("after /tree to an earlier entry or another branch the branch is folded anew", () => {
	const [tree, core] = [new FakeTree(), new FakeCore()];
	for (let i = 0; i < 4; i++) tree.add();
	sync(core, tree);
	tree.leaf = "e2";
	sync(core, tree);
	assert.deepEqual([ids(core), core.loads], ["e1,e2", 2]);
	tree.add();
	sync(core, tree);
	assert.deepEqual([ids(core), core.loads], ["e1,e2,e5", 2]);
	tree.leaf = "e4";
	sync(core, tree);
	assert.deepEqual([ids(core), core.loads], ["e1,e2,e3,e4", 3]);
	tree.leaf = null;
	sync(core, tree);
	assert.deepEqual([ids(core), core.loads], ["", 4]);
});

test("a plan's leaf is found on the branch it was made on, and not on another", () => {
	const tree = new FakeTree();
	for (let i = 0; i < 3; i++) tree.add();
	assert.equal(isOnBranch("e2", tree), true);
	assert.equal(isOnBranch("e3", tree), true);
	tree.leaf = "e1";
	tree.add();
	assert.equal(isOnBranch("e2", tree), false);
	tree.leaf = null;
	assert.equal(isOnBranch("e1", tree), false);
});

test("a look-up honours the newest edit of the branch, so that a redaction does not leak", () => {
	const tree = new FakeTree();
	const secret = tree.result("secret");
	const plain = tree.result("plain");
	tree.add({ type: "context_edit", targetId: secret, replacement: { content: "first" } });
	tree.add({ type: "context_edit", targetId: secret, replacement: { content: "[redacted]" } });
	const lookup = branchLookup(tree);
	assert.deepEqual(lookup(secret), {
		...tree.getEntry(secret),
		message: { role: "toolResult", content: [{ type: "text", text: "[redacted]" }] },
	});
	assert.equal(lookup(plain), tree.getEntry(plain));
	assert.equal(lookup("nowhere"), undefined);

	tree.add({ type: "context_edit", targetId: secret, replacement: null });
	assert.equal(branchLookup(tree)(secret), undefined);
	tree.leaf = plain;
	assert.equal(branchLookup(tree)(secret), tree.getEntry(secret), "before the edits there are none");
});

test("a look-up never throws, not even when pi does", () => {
	const tree = new FakeTree();
	tree.getBranch = () => {
		throw new Error("stale");
	};
	assert.equal(branchLookup(tree)("e1"), undefined);
});
