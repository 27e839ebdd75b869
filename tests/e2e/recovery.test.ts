// What comes back through context_tree_query: images, one long line in pages, refs that do not exist, an empty list.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it, type TestContext } from "node:test";
import { answers, blocking, file } from "../harness/fixtures.ts";
import { extensionEntry, repositoryRoot, requireBuild } from "../harness/paths.ts";
import { type PiRun, runPi } from "../harness/pi.ts";
import { resultsOf } from "../harness/pruned.ts";
import { createSandbox } from "../harness/sandbox.ts";
import { type ModelRequest, type Script, startServer } from "../harness/server.ts";
import { tinyPng } from "../harness/sessions.ts";
import { assertValid } from "../harness/validator.ts";

requireBuild();
const server = await startServer();
after(() => server.close());

const blobTool = join(repositoryRoot, "tests", "harness", "extensions", "blob-tool.ts");

/** First prompt: one `blob` call and a reply; second prompt: the given script. */
async function runWithBlob(t: TestContext, blocks: object[], second: Script): Promise<PiRun> {
	const sandbox = createSandbox({ url: server.url, settings: blocking, images: true });
	t.after(() => sandbox.remove());
	writeFileSync(join(sandbox.cwd, "blob.json"), JSON.stringify(blocks));
	server.reset();
	const first: Script = [{ calls: [{ name: "blob", args: { path: "blob.json" } }] }, { text: answers.first }];
	server.script({
		agent: (request) => {
			const step = first[request.kindIndex];
			if (step) return step;
			return typeof second === "function" ? second(request) : (second[request.kindIndex - first.length] ?? {});
		},
	});
	const run = await runPi(sandbox, { prompts: ["Look.", "Look again."], extensions: [blobTool, extensionEntry] });
	assert.equal(run.exitCode, 0, run.stderr);
	for (const request of server.requests) assertValid(request);
	return run;
}

const query = (toolCallIds: string[], fields: object = {}) => ({
	calls: [{ name: "context_tree_query", args: { toolCallIds, ...fields } }],
});

/** Results of our tool, from the session: content blocks as the tool gave them. */
function queryResults(
	run: PiRun,
): { content: { type: string; text?: string; data?: string; mimeType?: string }[]; isError: boolean }[] {
	return run.entries.flatMap((entry) => {
		const message = entry.message as { role?: string; toolName?: string } | undefined;
		return message?.role === "toolResult" && message.toolName === "context_tree_query" ? [message as never] : [];
	});
}

describe("context_tree_query", () => {
	it("gives images back with the text around them", async (t) => {
		const blocks = [
			{ type: "text", text: file(11, "prose", 4_000) },
			{ type: "image", data: tinyPng, mimeType: "image/png" },
			{ type: "text", text: "below the picture" },
		];
		const run = await runWithBlob(t, blocks, [query(["t1"]), { text: answers.second }]);
		const stubbed = server.of("agent")[2] as ModelRequest;
		assert.ok(!stubbed.raw.includes(tinyPng), "the stubbed request carries no image");
		assert.ok((server.of("agent")[1] as ModelRequest).raw.includes(tinyPng), "the one before did");
		const [result] = queryResults(run);
		assert.deepEqual(
			result?.content.filter((block) => block.type === "image"),
			[blocks[1]],
		);
		const text = result?.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n") ?? "";
		assert.ok(text.includes(blocks[0]?.text as string) && text.includes("below the picture"));
		assert.ok((server.of("agent")[3] as ModelRequest).raw.includes(tinyPng), "and it reaches the model");
	});

	it("gives a single line of 300,000 characters back in pages", async (t) => {
		const line = Array.from({ length: 30_000 }, (_, n) => `${String(n).padStart(8, "0")}🙂`).join("");
		let pages: string[] = [];
		const second: Script = (request) => {
			const results = resultsOf(request.body, "context_tree_query");
			pages = results;
			const next = /offset[^0-9]*(\d+)/i.exec(results.at(-1)?.slice(-600) ?? "offset 0");
			if (!next || results.length >= 30) return { text: answers.second };
			return query(["t1"], results.length === 0 ? {} : { offset: Number(next[1]) });
		};
		await runWithBlob(t, [{ type: "text", text: line }], second);
		assert.ok(pages.length > 1 && pages.length < 30, `${pages.length} pages`);
		// What is put together from the pages is the line: strip each page's head and its closing note.
		const joined = pages
			.map((page) => {
				const digits = /(?:\d{8}🙂|[0-9🙂]){40,}/u.exec(page);
				return digits?.[0] ?? "";
			})
			.join("");
		assert.equal(joined.length, line.length);
		assert.ok(joined === line, "byte for byte");
	});

	it("names a ref that does not exist, and says what to do with an empty list", async (t) => {
		const run = await runWithBlob(
			t,
			[{ type: "text", text: file(12, "code", 4_000) }],
			[query(["t99"]), query([]), query(["t1", "t99"]), { text: answers.second }],
		);
		const [missing, empty, mixed] = queryResults(run).map((result) => ({
			...result,
			text: result.content.map((block) => block.text ?? "").join("\n"),
		}));
		assert.match(missing?.text ?? "", /t99/);
		assert.match(missing?.text ?? "", /not found/i);
		assert.ok((empty?.text ?? "").trim().length > 0, "an empty list gets a message");
		assert.match(empty?.text ?? "", /ref/i);
		assert.ok(mixed?.text.includes(file(12, "code", 4_000)), "the one that exists still comes back");
		assert.match(mixed?.text ?? "", /t99/);
		assert.equal(run.stdout.trim(), answers.second);
	});
});
