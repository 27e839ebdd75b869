// Results too large for the context go to files before they are ever sent: whole, private, recoverable, or not at all.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { file, pruning } from "../harness/fixtures.ts";
import { epochsOf, lastAgent, prunedOf, recall, rewritesOf, textOf } from "../harness/flushed.ts";
import { type Opened, openSession, resume } from "../harness/opened.ts";
import { extensionEntry, repositoryRoot, requireBuild } from "../harness/paths.ts";
import { recoveredBody } from "../harness/pruned.ts";
import { pi, type SdkStep } from "../harness/sdk.ts";

requireBuild();

const blob = join(repositoryRoot, "tests", "harness", "extensions", "blob-tool.ts");

/** Half a megabyte with characters of two, three and four bytes, and every kind of line end. */
const huge = `${file(1, "log", 250_000)}\r\n日本語 — ✓ 🦀\n${file(2, "code", 250_000)}`;
const text = (content: string) => JSON.stringify([{ type: "text", text: content }]);

const blobCall = (...paths: string[]): SdkStep => ({ calls: paths.map((path) => ({ name: "blob", args: { path } })) });

async function open(
	t: TestContext,
	options: {
		settings?: Record<string, unknown>;
		agent?: SdkStep[];
		before?: (folder: string) => void;
		inMemory?: boolean;
	} = {},
): Promise<Opened & { folder: string }> {
	const sdk = await openSession(t, {
		settings: pruning(options.settings),
		files: { "huge.json": text(huge), "small.json": text(file(3, "prose", 3_000)) },
		extensions: [blob, extensionEntry],
		...(options.inMemory ? { sessionManager: pi.SessionManager.inMemory() } : {}),
		mode: "rpc",
		agent: (_request, index) => options.agent?.[index] ?? { text: "Done." },
	});
	const folder = join(sdk.manager.getSessionDir(), `${sdk.manager.getSessionId()}-blobs`);
	options.before?.(folder);
	return { ...sdk, folder };
}

const ours = (sdk: Opened) => sdk.notices.filter((line) => !/\/pruner off/.test(line));

describe("a huge result", () => {
	it("stands in a file before the next request; the model sees its head, its path and a ref (B5)", async (t) => {
		const sdk = await open(t, { agent: [blobCall("huge.json", "small.json"), { text: "Seen." }, { text: "More." }] });
		await sdk.prompt("Read them.");
		const request = sdk.of("agent")[1];
		assert.ok(request);
		const { stubbed } = prunedOf(request);
		assert.deepEqual(
			stubbed.map(({ stub, original }) => [stub.kind, original === huge]),
			[["spilled", true]],
			"only the huge one, and at its first request",
		);
		const shown = stubbed[0]?.stub.text ?? "";
		assert.ok(shown.length < 4_000);
		const path = /offset\/limit supported\): (.+)$/m.exec(shown)?.[1] ?? "";
		assert.ok(path.startsWith(sdk.folder));
		assert.equal(readFileSync(path, "utf8"), huge);
		assert.match(shown, new RegExp(`${Buffer.byteLength(huge)} bytes`));
		assert.equal(statSync(path).mode & 0o777, 0o600);
		assert.equal(statSync(sdk.folder).mode & 0o777, 0o700);
		assert.equal(readdirSync(sdk.folder).length, 1, "no temporary file stays");
		assert.equal((epochsOf(sdk)[0] as { reason?: string }).reason, "spill");
		assert.deepEqual(ours(sdk), []);

		await sdk.prompt("And now?");
		const ref = stubbed[0]?.ref ?? "";
		assert.deepEqual(
			prunedOf(lastAgent(sdk)).stubbed.map((each) => [each.stub.kind, each.ref]),
			[
				["spilled", ref],
				["summarized", "t2"],
			],
			"it keeps its form and its ref; the small one is summarized",
		);
		const prompts = sdk.of("summarizer").flatMap(({ messages }) => messages.map(textOf));
		assert.equal(prompts.length, 1);
		assert.ok(!prompts[0]?.includes(huge.slice(0, 100)), "the summarizer is not asked about it");
		const pages = [];
		for (let offset = 0; ; ) {
			const page = textOf({ role: "x", content: await recall(sdk, [ref], offset === 0 ? {} : { offset }) } as never);
			const more = /offset[^\d]*(\d+)/.exec(page.slice(-400))?.[1];
			pages.push(page);
			if (!more || Number(more) <= offset) break;
			offset = Number(more);
		}
		assert.ok(pages.length > 1 && pages.join("").length >= huge.length, "all of it comes back, page by page");
		assert.deepEqual(sdk.errors, []);
	});

	it("is recoverable after its file was deleted, and after a resume", async (t) => {
		const half = file(5, "log", 30_000);
		const sdk = await open(t, {
			settings: { spillThreshold: 20_000 },
			agent: [blobCall("half.json"), { text: "Seen." }],
		});
		writeFileSync(join(sdk.sandbox.cwd, "half.json"), text(half));
		await sdk.prompt("Read it.");
		const [stub] = prunedOf(lastAgent(sdk)).stubbed;
		assert.equal(stub?.stub.kind, "spilled");
		rmSync(sdk.folder, { recursive: true });
		const body = async (from: Parameters<typeof recall>[0]) =>
			recoveredBody(textOf({ role: "x", content: await recall(from, [stub?.ref ?? ""]) } as never));
		assert.equal(await body(sdk), half);
		await sdk.prompt("Again.");
		const resumed = await resume(t, sdk, { extensions: [blob, extensionEntry] });
		await resumed.prompt("And now?");
		assert.equal(await body(resumed), half);
		assert.deepEqual(
			prunedOf(lastAgent(resumed)).stubbed.map((each) => each.stub.text),
			prunedOf(lastAgent(sdk)).stubbed.map((each) => each.stub.text),
		);
		assert.deepEqual(rewritesOf(sdk), []);
	});

	it("of a protected tool, of a session in memory, or below the threshold stays as it is", async (t) => {
		const protectedTool = await open(t, {
			settings: { protectedTools: ["blob"] },
			agent: [blobCall("huge.json"), { text: "Seen." }],
		});
		await protectedTool.prompt("Read it.");
		const below = await open(t, {
			settings: { spillThreshold: huge.length + 1 },
			agent: [blobCall("huge.json"), { text: "Seen." }],
		});
		await below.prompt("Read it.");
		const memory = await open(t, { inMemory: true, agent: [blobCall("huge.json"), { text: "Seen." }] });
		await memory.prompt("Read it.");
		for (const sdk of [protectedTool, below, memory]) {
			assert.deepEqual(prunedOf(sdk.of("agent")[1] as never).stubbed, []);
			assert.throws(() => readdirSync(sdk.folder), /ENOENT/);
		}
	});

	it("whose file cannot be written stays in the context, with one line; the next one is tried again", async (t) => {
		const sdk = await open(t, {
			settings: { pruneOn: "on-demand" },
			agent: [
				blobCall("huge.json"),
				blobCall("huge.json"),
				{ text: "Seen." },
				blobCall("huge.json"),
				{ text: "Better." },
			],
			before: (folder) => writeFileSync(folder, "in the way"),
		});
		await sdk.prompt("Read it twice.");
		assert.deepEqual(prunedOf(lastAgent(sdk)).stubbed, []);
		assert.equal(epochsOf(sdk).length, 0);
		assert.equal(ours(sdk).length, 1, ours(sdk).join("\n"));
		assert.match(
			ours(sdk)[0] ?? "",
			/large tool output could not be moved to a file \(.*\); it stays in the context\.$/,
		);
		assert.equal(readFileSync(sdk.folder, "utf8"), "in the way");
		rmSync(sdk.folder);
		await sdk.prompt("Once more.");
		assert.equal(prunedOf(lastAgent(sdk)).stubbed.length, 1);
		assert.deepEqual(sdk.errors, []);
	});

	it("whose entry cannot be written stays in the context, and its file is taken away again", async (t) => {
		const sdk = await open(t, {
			settings: { pruneOn: "on-demand" },
			agent: [blobCall("huge.json"), { text: "Seen." }],
		});
		const append = sdk.manager.appendCustomEntry.bind(sdk.manager);
		sdk.manager.appendCustomEntry = () => {
			throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
		};
		await sdk.prompt("Read it.");
		sdk.manager.appendCustomEntry = append;
		assert.deepEqual(prunedOf(lastAgent(sdk)).stubbed, []);
		assert.deepEqual(readdirSync(sdk.folder), []);
		assert.match(ours(sdk)[0] ?? "", /could not be moved to a file \(ENOSPC/);
		assert.equal(ours(sdk).length, 1);
	});

	it("goes into a folder that is there already", async (t) => {
		const sdk = await open(t, {
			settings: { pruneOn: "on-demand" },
			agent: [blobCall("huge.json"), { text: "Seen." }],
			before: (folder) => void mkdirSync(folder, { recursive: true }),
		});
		await sdk.prompt("Read it.");
		assert.equal(prunedOf(lastAgent(sdk)).stubbed.length, 1);
	});
});
