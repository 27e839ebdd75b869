// The same output again: summarized once, each call named by itself (defect B6 of the original, case 17).

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { file } from "../harness/fixtures.ts";
import { assertRecoverable, lastAgent, prunedOf, recall, textOf } from "../harness/flushed.ts";
import { goOn, type Opened, openSession } from "../harness/opened.ts";
import { requireBuild } from "../harness/paths.ts";
import { SessionBuilder, tinyPng } from "../harness/sessions.ts";

requireBuild();

async function open(t: TestContext, built: SessionBuilder, settings: Record<string, unknown> = {}): Promise<Opened> {
	const sdk = await openSession(t, {
		entries: built.lines(),
		settings: { contextPrune: { flush: "blocking", ...settings } },
		images: true,
		mode: "rpc",
	});
	await goOn(sdk);
	return sdk;
}

const same = file(1, "code", 4_000);
const stubs = (sdk: Opened) => prunedOf(lastAgent(sdk)).stubbed;

function reads(...paths: string[]): SessionBuilder {
	const session = new SessionBuilder();
	session.user("Look into it.");
	for (const path of paths) session.toolTurn([{ name: "read", args: { path }, result: same }]);
	session.assistant("So far.");
	return session;
}

describe("equal output", () => {
	it("within one flush is summarized once; the second call's stub names its own tool and path", async (t) => {
		const sdk = await open(t, reads("src/a.ts", "src/copy-of-a.ts"));
		assert.equal(sdk.of("summarizer").length, 1);
		const [first, second] = stubs(sdk);
		assert.equal(first?.stub.kind, "summarized");
		assert.equal(
			second?.stub.text,
			"[read src/copy-of-a.ts: same output as `t1`, summarized there. This call is ref `t2`. Use context_tree_query to retrieve full output.]",
		);
		assert.equal(await assertRecoverable(sdk, lastAgent(sdk)), 2);
		const answer = textOf({ role: "x", content: await recall(sdk, ["t2"]) } as never);
		assert.ok(answer.includes("src/copy-of-a.ts") && !answer.includes("src/a.ts"), "its own arguments come back");
	});

	it("of an earlier flush is not summarized again", async (t) => {
		const sdk = await open(t, reads("src/a.ts"));
		assert.equal(sdk.of("summarizer").length, 1);
		const resumed = await openSession(t, {
			entries: [
				sdk.manager.getHeader() as object,
				...sdk.manager.getEntries(),
				...reads("src/b.ts").entries.map((entry, at, all) => ({
					...entry,
					id: `9${entry.id.slice(1)}`,
					parentId: at === 0 ? sdk.manager.getLeafId() : `9${all[at - 1]?.id.slice(1)}`,
				})),
			],
			settings: { contextPrune: { flush: "blocking" } },
		});
		await resumed.prompt("Go on.");
		await resumed.prompt("And now?");
		assert.equal(resumed.of("summarizer").length, 0);
		assert.deepEqual(
			prunedOf(lastAgent(resumed)).stubbed.map(({ stub }) => stub.kind),
			["summarized", "same"],
		);
	});

	it("is one truth in the tree and in the stats: pruned, and not left as it is", async (t) => {
		const sdk = await open(t, reads("src/a.ts", "src/copy-of-a.ts", "src/another.ts"));
		const run = async (command: string) => {
			await sdk.prompt(command);
			return sdk.notices.at(-1) ?? "";
		};
		const tree = await run("/pruner tree");
		assert.match(tree, /^Pruned on this branch: 3 results \(2 repeated\) in 1 epoch\n/);
		assert.match(tree, /turn 1 +repeated output +1 result/);
		assert.match(tree, /t2 +read src\/copy-of-a\.ts +[\d.k]+, same as t1\n/);
		const stats = await run("/pruner stats");
		assert.match(stats, /Summarized +1 result in 1 batch/);
		assert.match(stats, /Repeated +2 results/);
		assert.match(stats, /Left as is +nothing/);
		assert.equal(stubs(sdk).length, 3);
	});

	it("is summarized each time where that is wanted", async (t) => {
		const sdk = await open(t, reads("src/a.ts", "src/b.ts"), { dedupByContentHash: false });
		assert.equal(sdk.of("summarizer").length, 2);
	});

	it("in words only is not equal where the images differ", async (t) => {
		const session = new SessionBuilder();
		session.user("Look.");
		// pi's read says the same of every image.
		for (const data of [tinyPng, `${tinyPng.slice(0, -8)}AAAAAAA=`])
			session.toolTurn([
				{
					name: "read",
					args: { path: "shot.png" },
					result: [
						{ type: "text", text: `Read image file [image/png]\n${same}` },
						{ type: "image", data, mimeType: "image/png" },
					],
				},
			]);
		session.assistant("Seen.");
		const sdk = await open(t, session);
		assert.equal(sdk.of("summarizer").length, 2);
		assert.deepEqual(
			stubs(sdk).map(({ stub }) => stub.kind),
			["summarized", "summarized"],
		);
		const image = async (ref: string) => (await recall(sdk, [ref])).find(({ type }) => type === "image")?.data;
		assert.notEqual(await image("t1"), await image("t2"));
	});
});
