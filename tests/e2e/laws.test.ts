// The laws of the design on sessions nobody would think of, and on the case files where they are at hand.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { awkwardSession } from "../harness/awkward.ts";
import {
	assertRecoverable,
	assertRewrites,
	lastAgent,
	problemsOf,
	prunedOf,
	recall,
	textOf,
} from "../harness/flushed.ts";
import { type Opened, openSession, resume } from "../harness/opened.ts";
import { requireBuild, sharedCase, sharedDir } from "../harness/paths.ts";
import { readSession } from "../harness/sandbox.ts";

requireBuild();

/** Three prompts: nothing may change before the flush, all laws hold after it, nothing changes any more. */
async function live(sdk: Opened): Promise<void> {
	for (const text of ["Go on.", "And now?", "Is that all?"]) {
		await sdk.prompt(text);
		assert.deepEqual(problemsOf(lastAgent(sdk)), [], text);
		prunedOf(lastAgent(sdk), text);
	}
	assert.deepEqual(sdk.errors, []);
	assertRewrites(sdk);
}

const seeds = Array.from({ length: Number(process.env.PI_DECANT_SEEDS ?? 40) }, (_, seed) => seed);

describe("awkward sessions", () => {
	const seen = { recovered: 0, swept: 0, blocks: 0, purged: 0, unthinking: 0 };
	for (const seed of seeds)
		it(`seed ${seed}`, async (t) => {
			const sdk = await openSession(t, {
				entries: awkwardSession(seed, { prompts: 3 + (seed % 6), unanswered: seed % 2 === 1 }).lines(),
				images: true,
			});
			await live(sdk);
			seen.recovered += await assertRecoverable(sdk, lastAgent(sdk));
			const difference = prunedOf(lastAgent(sdk));
			for (const what of ["swept", "blocks", "purged", "unthinking"] as const) seen[what] += difference[what].length;
			const resumed = await resume(t, sdk, { images: true });
			await sdk.prompt("Same?");
			await resumed.prompt("Same?");
			assert.deepEqual(
				lastAgent(resumed).messages.slice(0, -1),
				lastAgent(sdk).messages.slice(0, -1),
				"resumed = live",
			);
		});

	it("were pruned in every way, and the broken ones mended", (t) => {
		t.diagnostic(JSON.stringify(seen));
		assert.ok(seen.recovered > 2 * seeds.length, `${seen.recovered} originals back in ${seeds.length} sessions`);
		for (const [what, count] of Object.entries(seen)) assert.ok(count > 0, `no session had any ${what}`);
	});
});

describe("sessions of others", () => {
	const folder = join(sharedDir, "sessions");
	const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".jsonl")) : [];
	if (names.length === 0) it("are not on this machine", { skip: `${folder} is missing` }, () => {});
	for (const name of names)
		it(name, async (t) => {
			const sessionText = readFileSync(join(folder, name), "utf8");
			const sdk = await openSession(t, { sessionText, images: true, contextWindow: 4_000_000 });
			await live(sdk);
			const stubbed = await assertRecoverable(sdk, lastAgent(sdk));
			assert.ok(stubbed > 0 || sessionText.length < 12_000, "something of it is pruned");
		});
});

describe("case files", () => {
	const casesHere: Record<string, (sdk: Opened) => Promise<void>> = {
		"03-reused-tool-call-ids.jsonl": async (sdk) => {
			assert.equal(prunedOf(lastAgent(sdk)).stubbed.length, 6);
			const all = textOf({ role: "x", content: await recall(sdk, ["bash_0"]) } as never);
			assert.ok(
				["GET /a", "User\nOrder", "nightly"].every((text) => all.includes(text)) || /t1.*t3.*t5/s.test(all),
				all.slice(0, 300),
			);
		},
		"13-forked-session-copied-ids.jsonl": async (sdk) => {
			assert.deepEqual(
				prunedOf(lastAgent(sdk)).stubbed.map(({ ref }) => ref),
				["t1"],
			);
		},
		"15-one-user-turn-of-sixty-calls.jsonl": async (sdk) => {
			const { stubbed } = prunedOf(lastAgent(sdk));
			assert.equal(new Set(stubbed.map(({ ref }) => ref)).size, stubbed.length, "none done twice");
			assert.ok(stubbed.length >= 50, `${stubbed.length} of 60 picked up again`);
		},
		"21-compaction-between-parallel-results.jsonl": async (sdk) => {
			assert.equal(prunedOf(lastAgent(sdk)).stubbed.length, 2);
		},
		"23-other-roles-and-strangers.jsonl": async (sdk) => {
			assert.equal(prunedOf(lastAgent(sdk)).stubbed.length, 1);
		},
	};
	for (const [name, check] of Object.entries(casesHere)) {
		const path = sharedCase(name);
		it(name, { skip: path ? false : "the case file is not on this machine" }, async (t) => {
			const sdk = await openSession(t, { entries: readSession(path as string) });
			await live(sdk);
			await check(sdk);
			await assertRecoverable(sdk, lastAgent(sdk));
		});
	}
});
