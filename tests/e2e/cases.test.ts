// Case files of faults others have met, worked through by a real pi. Their `.md` says what is right.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { assertRecoverable, epochsOf, lastAgent, prunedOf, recall, textOf } from "../harness/flushed.ts";
import { goOn, type Opened, openPruning } from "../harness/opened.ts";
import { requireBuild, sharedCase } from "../harness/paths.ts";
import { readSession } from "../harness/sandbox.ts";

requireBuild();

async function open(t: TestContext, path: string, settings: Record<string, unknown> = {}): Promise<Opened> {
	const sdk = await openPruning(t, { minBatchChars: 0, ...settings }, { entries: readSession(path) });
	await goOn(sdk);
	return sdk;
}

function caseFile(name: string, test: (t: TestContext, path: string) => Promise<void>): void {
	const path = sharedCase(name);
	it(name, { skip: path ? false : "the case files are not at hand" }, (t) => test(t, path ?? ""));
}

/** Strings anywhere in a value. */
function strings(value: unknown): string[] {
	if (typeof value === "string") return [value];
	if (typeof value !== "object" || value === null) return [];
	return Object.values(value).flatMap(strings);
}

describe("case files", () => {
	caseFile("07-astral-characters-on-every-cut.jsonl", async (t, path) => {
		for (const limit of [500, 1_999, 2_000, 2_001, 4_096]) {
			// With the finished task as a block, too.
			const chainCompression = { rollingWindow: limit % 2 === 0 ? 0 : 3 };
			const sdk = await open(t, path, { summarizerMaxCharsPerResult: limit, spillThreshold: 8_000, chainCompression });
			const ours = [...epochsOf(sdk), ...sdk.of("summarizer").map(({ messages }) => messages)];
			const untouched = new Set(strings(lastAgent(sdk).projection));
			const sent = strings(lastAgent(sdk).messages).filter((text) => !untouched.has(text));
			// One result holds half a pair already: what the summarizer is shown of it must be whole.
			for (const text of [...strings(ours), ...sent])
				assert.ok(text.isWellFormed(), JSON.stringify(text.slice(0, 300)));
			assert.ok(sdk.of("summarizer").length > 0);
			assert.ok((await assertRecoverable(sdk, lastAgent(sdk))) > 0);
		}
	});

	caseFile("09-talk-in-portuguese-tools-in-english.jsonl", async (t, path) => {
		const sdk = await open(t, path);
		const prompt = strings(sdk.of("summarizer")[0]?.messages).join("\n");
		assert.match(prompt, /language of/);
		assert.match(
			prompt,
			/Descubra por que o teste do carrinho falha/,
			"the summarizer sees in which language the user speaks",
		);
	});

	caseFile("11-windows-paths-and-protected-globs.jsonl", async (t, path) => {
		const protectedPaths = ["**/secrets.ts", "**/config/*.ts", "C:/repo/src/**", "**/.env"];
		const sdk = await open(t, path, { protectedPaths });
		const pruned = prunedOf(lastAgent(sdk)).stubbed.map(({ original }) => original.split("\n", 1)[0]);
		// `.\src\..\src\a.ts` stands under the session's own folder, C:\repo, which no pi on this machine works in.
		assert.deepEqual(
			pruned.filter((first) => first !== "file 3"),
			["file 7"],
			"only what lies on D:",
		);
		const prompts = strings(sdk.of("summarizer").map(({ messages }) => messages)).join("\n");
		assert.ok(prompts.includes("file 7\n"));
		for (const n of [0, 1, 2, 4, 5, 6]) assert.ok(!prompts.includes(`file ${n}\n`), "not even the summarizer sees it");
	});

	caseFile("17-same-output-different-meaning.jsonl", async (t, path) => {
		const sdk = await open(t, path, { minBatchChars: 1_000 });
		const { stubbed } = prunedOf(lastAgent(sdk));
		for (const { stub, original } of stubbed) assert.ok(stub.text.length < original.length, "tiny results stay");
		const repeated = stubbed.filter(({ stub }) => stub.kind === "same");
		assert.ok(repeated.length > 0, "the same file read again is not summarized again");
		for (const { stub } of repeated) assert.match(stub.text, /^\[read (\.\/)?a\.ts: same output as/);
		assert.equal(new Set(stubbed.map(({ ref }) => ref)).size, stubbed.length, "each has a ref of its own");
		assert.equal(await assertRecoverable(sdk, lastAgent(sdk)), stubbed.length);
		const compact = await open(t, path, { minBatchChars: 1_000, chainCompression: { rollingWindow: 0 } });
		const { blocks } = prunedOf(lastAgent(compact));
		assert.ok(blocks.length > 0);
		assert.ok((await assertRecoverable(compact, lastAgent(compact))) > stubbed.length, "tiny results have refs there");
	});

	caseFile("19-stub-text-as-real-content.jsonl", async (t, path) => {
		const compact = await open(t, path, { chainCompression: { rollingWindow: 0 } });
		assert.ok((await assertRecoverable(compact, lastAgent(compact))) > 0);
		const sdk = await open(t, path);
		const { stubbed } = prunedOf(lastAgent(sdk));
		const calls = (messages: object[]) => JSON.stringify(messages).match(/"\[content removed to save context\][^"]*"/g);
		assert.deepEqual(calls(lastAgent(sdk).messages), calls(lastAgent(sdk).projection), "arguments are not rewritten");
		const original = stubbed.find(({ original }) => original.startsWith("[Summarized in pruner summary"));
		assert.ok(original, "what only looks like a stub is pruned like any text");
		const answer = textOf({ role: "x", content: await recall(sdk, [original.ref]) } as never);
		assert.ok(answer.includes(original.original));
	});
});
