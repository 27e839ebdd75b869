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

requireBuild();

const versionOf = (folder: string) =>
	(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version;

/** The answer to `context_tree_query`, compared with the text the tool had returned in the first place. */
function recoveryOf(pruned: Play): Recovery {
	const agent = pruned.requests.filter((request) => request.kind === "agent");
	const asked = pruned.beats.findIndex((beat) => beat.recovery);
	const original = resultsOf((agent[2] as ModelRequest).body, "read")[1] ?? "";
	const answer = resultsOf((agent[asked + 1] as ModelRequest).body, "context_tree_query")[0] ?? "";
	const body = recoveredBody(answer);
	assert.ok(original.length > 10_000, "the original is there");
	assert.ok(body === original, "what came back is not what the tool had returned");
	return { ref: "t2", units: body.length, firstLine: body.split("\n", 1)[0] ?? "", at: asked + 1 };
}

const started = performance.now();
console.log(
	`\n  pi ${versionOf(piPackageDir)}, the same scripted session twice: alone, then with pi-decant ${versionOf(packageDir)}.\n`,
);
const plain = await play(false);
const pruned = await play(true);
for (const request of [...plain.requests, ...pruned.requests]) assertValid(request);
const checked = check(plain) + check(pruned);
console.log(report(plain, pruned, recoveryOf(pruned), checked));
console.log(`  ${((performance.now() - started) / 1_000).toFixed(1)} s\n`);
