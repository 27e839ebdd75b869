// Every request that goes out would be taken by Anthropic, OpenAI (both APIs) and Gemini, after pi's own conversion; also
// where pi alone would send one that is refused.

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { awkwardSession } from "../harness/awkward.ts";
import { requireBuild, sharedDir } from "../harness/paths.ts";
import { refusals, tornReasoning } from "../harness/providers/judge.ts";
import { type ProviderApi, payloadOf, speakers } from "../harness/providers/payload.ts";
import { createSandbox } from "../harness/sandbox.ts";
import { pi } from "../harness/sdk.ts";
import type { Entry } from "../harness/sessions.ts";
import { Walk } from "../harness/walk.ts";

requireBuild();

const apis = Object.keys(speakers) as ProviderApi[];

/** What was seen, so that no test passes for want of anything to judge. */
const seen = { requests: 0, mended: 0, blocks: 0, purged: 0 };

/** At this point of the session, and for this provider. */
async function judge(walk: Walk, api: ProviderApi, what: string): Promise<void> {
	const { whole, ours } = walk.exchange();
	const [alone, payload] = [await payloadOf(api, whole), await payloadOf(api, ours)];
	const text = JSON.stringify(payload);
	assert.deepEqual(refusals(api, payload), [], `${what}: ${api} would refuse it`);
	assert.deepEqual(tornReasoning(api, payload, alone), [], `${what}: ${api}`);
	seen.requests++;
	if (refusals(api, alone).length > 0) seen.mended++;
	if (text.includes("<compressed-chain ")) seen.blocks++;
	if (text.includes("<purged-errored-args ")) seen.purged++;
}

/** Through the session from its beginning; flushes now and then, and judges before and after each. */
async function live(
	entries: readonly Entry[],
	of: readonly ProviderApi[],
	points: number,
	what: string,
): Promise<void> {
	const api = of[0] as ProviderApi;
	const walk = await Walk.begin({ thinkingStrip: { keepLastTurns: 3 }, chainCompression: { keepOpenTurns: 2 } });
	const model = { api, id: speakers[api].model, contextWindow: 200_000 };
	const triggers = ["agent-message", "budget", "agent-message", "compact"];
	const step = Math.max(1, Math.floor(entries.length / points));
	for (const [at, entry] of entries.entries()) {
		walk.add(entry);
		if ((at + 1) % step !== 0 && at < entries.length - 1) continue;
		for (const each of of) await judge(walk, each, `${what}, entry ${at}`);
		if (walk.flush(triggers[Math.floor(at / step) % triggers.length] as string, model))
			for (const each of of) await judge(walk, each, `${what}, entry ${at}, flushed`);
	}
	walk.end();
}

describe("generated sessions", () => {
	const seeds = Number(process.env.PI_DECANT_SEEDS ?? 40);
	for (const api of apis)
		it(api, async () => {
			for (let seed = 0; seed < seeds; seed++) {
				const session = awkwardSession(seed, {
					prompts: 3 + (seed % 5),
					unanswered: seed % 2 === 1,
					speaker: speakers[api],
				});
				await live(session.entries, [api], 8, `seed ${seed}`);
			}
		});
	it("had what is to be judged", (t) => {
		t.diagnostic(JSON.stringify(seen));
		for (const [what, count] of Object.entries(seen)) assert.ok(count > 0, `no ${what}`);
	});
});

describe("sessions of others, and cases", () => {
	const files = ["sessions", "cases"].flatMap((folder) => {
		const path = join(sharedDir, folder);
		return existsSync(path)
			? readdirSync(path).flatMap((name) => (name.endsWith(".jsonl") ? [join(path, name)] : []))
			: [];
	});
	if (files.length === 0) it("are not on this machine", { skip: `${sharedDir} is missing` }, () => {});
	for (const path of files) it(path.slice(sharedDir.length + 1), (t) => ofFile(t, path));
});

async function ofFile(t: TestContext, path: string): Promise<void> {
	const branch = branchOf(t, path);
	assert.ok(branch.length > 0);
	await live(branch, apis, 8, path);
}

/** The entries of the file's branch as pi opens it; pi may rewrite the file, so it gets a copy. */
function branchOf(t: TestContext, path: string): Entry[] {
	const sandbox = createSandbox();
	t.after(() => sandbox.remove());
	const copy = join(sandbox.root, "session.jsonl");
	copyFileSync(path, copy);
	return pi.SessionManager.open(copy).getBranch() as unknown as Entry[];
}
