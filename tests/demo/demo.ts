// `cargo xtask demo`: one scripted session through the real pi, without and with pi-decant. No network, no key.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageDir, piPackageDir, requireBuild } from "../harness/paths.ts";
import { recoveredBody, resultsOf } from "../harness/pruned.ts";
import type { ModelRequest } from "../harness/server.ts";
import { assertValid } from "../harness/validator.ts";
import { check } from "./figures.ts";
import { type Play, play } from "./play.ts";
import { type Recovery, report } from "./report.ts";
import { LIMIT } from "./scenario.ts";

requireBuild();

const versionOf = (folder: string) =>
	(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version;

/** The answers to `context_tree_query`, compared with what the tools had returned in the first place. */
function recoveriesOf(pruned: Play): Recovery[] {
	const agent = pruned.requests.filter((request) => request.kind === "agent");
	const bodyAt = (at: number) => (agent[at] as ModelRequest).body;
	const [importer = "", schema = "", sample = ""] = resultsOf(bodyAt(3), "read");
	const originals = [importer, schema, ...resultsOf(bodyAt(3), "bash"), sample];
	assert.ok(originals.length === 4 && originals.every(({ length }) => length > 10_000), "the originals are there");
	return pruned.beats.flatMap(({ recovery: ref }, asked) => {
		if (ref === undefined) return [];
		const answer = resultsOf(bodyAt(asked + 1), "context_tree_query").at(-1) ?? "";
		const isBlock = ref.startsWith("b");
		if (!isBlock) assert.ok(recoveredBody(answer) === schema, "what came back is not what the tool had returned");
		const heads = isBlock ? originals.map(headOf) : [schema];
		for (const head of heads) assert.ok(answer.includes(head), "what the block hid did not come back");
		const units = heads.reduce((sum, { length }) => sum + length, 0);
		return [{ ref, outputs: heads.length, units, firstLine: heads[0]?.split("\n", 1)[0] ?? "", at: asked + 1 }];
	});
}

/** Whole lines of an output, as many as a page of `LIMIT` holds. */
function headOf(text: string): string {
	return text.slice(0, text.lastIndexOf("\n", LIMIT - 1) + 1);
}

const started = performance.now();
console.log(
	`\n  pi ${versionOf(piPackageDir)}, the same scripted session twice: alone, then with pi-decant ${versionOf(packageDir)}.\n`,
);
const plain = await play(false);
const pruned = await play(true);
for (const request of [...plain.requests, ...pruned.requests]) assertValid(request);
const checked = check(plain) + check(pruned);
console.log(report(plain, pruned, recoveriesOf(pruned), checked));
console.log(`  ${((performance.now() - started) / 1_000).toFixed(1)} s\n`);
