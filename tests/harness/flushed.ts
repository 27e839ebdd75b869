// The questions every case asks of a session that was opened in process and worked up to its first flush.

import assert from "node:assert/strict";
import { wire } from "./parts.ts";
import { type Difference, explainPi, type ShownBlock } from "./pruned.ts";
import { type SdkPi, type SdkRequest, textOf } from "./sdk.ts";
import { piProblems, sharedMessages } from "./validator.ts";

export function lastAgent(sdk: SdkPi): SdkRequest {
	const request = sdk.of("agent").at(-1);
	assert.ok(request, "no request was made");
	return request;
}

/**
 * What was pruned of a request, measured against pi's own projection at that moment. No stub goes out without the summary
 * that speaks of it (defect B2 of the original), or the block that has it.
 */
export function prunedOf(request: SdkRequest, what = "request"): Difference {
	const difference = explainPi(request.projection, request.messages, what);
	const told = difference.summaries
		.map(({ text }) => text.slice(text.lastIndexOf("**Summarized tool refs**")))
		.join("\n");
	const inBlocks = new Set(difference.blocks.flatMap(({ refs }) => refs));
	for (const { ref, stub } of difference.stubbed) {
		const of = stub.original ?? ref;
		// A file's stub shows the head of the file; a repetition names the one that is summarized.
		const spoken =
			stub.kind === "spilled" || stub.kind === "recovered" || told.includes(`\`${of}\``) || inBlocks.has(of);
		assert.ok(spoken, `${what}: ${ref} is stubbed and no summary shown speaks of it`);
	}
	return difference;
}

/** Pairing of a request: what pi's own projection had wrong is repaired as well (law 3). */
export function problemsOf(request: SdkRequest): string[] {
	return piProblems(request.messages, { allowUnanswered: true });
}

/** Indices of agent requests that do not begin with all messages of the one before. */
export function rewritesOf(sdk: SdkPi): number[] {
	const agent = sdk.of("agent");
	return agent.flatMap((request, at) => {
		const before = agent[at - 1];
		if (!before) return [];
		const bare = (each: SdkRequest) => each.messages.map(wire);
		return sharedMessages(bare(before), bare(request)) < before.messages.length ? [at] : [];
	});
}

/** What was sent changes with an epoch and never else (law 1). */
export function assertRewrites(sdk: SdkPi): void {
	const rewrites = rewritesOf(sdk);
	assert.ok(rewrites.length <= epochsOf(sdk).length, `rewritten at ${rewrites}, epochs ${epochsOf(sdk).length}`);
}

export function epochsOf(sdk: SdkPi): unknown[] {
	return sdk.manager
		.getBranch()
		.flatMap((entry) => (entry.type === "custom" && entry.customType === "context-prune-epoch" ? [entry.data] : []));
}

/** Asks for `ids` through the model and gives the tool result's content. */
export async function recall(
	sdk: SdkPi,
	ids: string[],
	fields: object = {},
): Promise<{ type: string; text?: string; data?: string; mimeType?: string }[]> {
	const tool = sdk.session.agent.state.tools.find(({ name }) => name === "context_tree_query");
	assert.ok(tool, "context_tree_query is not there");
	const result = await tool.execute("test-call", { toolCallIds: ids, ...fields } as never, undefined, () => {});
	return result.content;
}

interface Original {
	text: string;
	images: string[];
}

async function original(sdk: SdkPi, ref: string): Promise<Original> {
	const blocks = await recall(sdk, [ref]);
	return {
		text: blocks.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : [])).join("\n"),
		images: blocks.flatMap((block) => (block.type === "image" ? [block.data ?? ""] : [])),
	};
}

/**
 * Everything that is not shown comes back (but for half a surrogate pair, which no provider is sent) byte for byte by the ref in what stands for it: stubbed results, results inside
 * blocks, replaced arguments (law 4). How many results and arguments that were.
 */
export async function assertRecoverable(sdk: SdkPi, request: SdkRequest): Promise<number> {
	const { stubbed, blocks, purged } = prunedOf(request);
	let count = 0;
	for (const { ref, original: text, images } of stubbed.filter(({ stub }) => stub.kind !== "recovered")) {
		const back = await original(sdk, ref);
		assert.deepEqual(back.images, images, `images of ${ref}`);
		assert.ok(
			back.text.includes(text.toWellFormed()),
			`${ref} does not give its original back: ${back.text.slice(0, 300)}`,
		);
		count++;
	}
	for (const block of blocks) count += await assertBlockRecoverable(sdk, block);
	for (const { ref, original: args } of purged) {
		if (ref === undefined) continue;
		const back = await original(sdk, ref);
		const indented = JSON.stringify(JSON.parse(args), null, 2);
		assert.ok(back.text.includes(`\nArgs: ${indented}\n`), `${ref} does not give its arguments back: ${back.text}`);
		count++;
	}
	return count;
}

async function assertBlockRecoverable(sdk: SdkPi, block: ShownBlock): Promise<number> {
	const back: Original[] = [];
	for (const ref of block.refs) back.push(await original(sdk, ref));
	const results = block.hidden.filter(({ callId }) => callId !== undefined);
	for (const result of results) {
		// What was fetched back stands where it was fetched from.
		if (block.relocated.includes(result) || result.toolName === "context_tree_query") continue;
		const found = back.findIndex(
			({ text, images }) => text.includes(result.text.toWellFormed()) && images.join() === result.images.join(),
		);
		assert.ok(found >= 0, `${block.id} has no ref for the result ${result.raw.slice(0, 300)}`);
		back.splice(found, 1);
	}
	return results.length;
}

export { textOf };
