import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryRenderer, Theme } from "@earendil-works/pi-coding-agent";
import * as piTui from "@earendil-works/pi-tui";
import type { Host } from "../src/host.ts";
import { registerEpochRenderer } from "../src/ui/epoch-entry.ts";

/** The lines an epoch's data has in the transcript. */
function shown(data: unknown, expanded = false): string[] {
	let renderer: EntryRenderer | undefined;
	const plain = (text: string) => text;
	const host = { piTui, piCodingAgent: { getMarkdownTheme: () => new Proxy({}, { get: () => plain }) } };
	registerEpochRenderer(
		{
			registerEntryRenderer: (_type, each) => {
				renderer = each as EntryRenderer;
			},
		},
		host as unknown as Host,
	);
	const theme = { fg: (_color: string, text: string) => text } as Theme;
	const component = renderer?.({ data } as never, { expanded } as never, theme);
	return (component?.render(200) ?? []).map((line) => line.trim()).filter((line) => line !== "");
}

const failed = { result: { entry: "c", ref: "t3", tool: "bash" }, assistant: "d", call: 0, units: 400 };

/** An epoch with everything that one can have. */
const WHOLE = {
	...{ v: 1, reason: "flush", trigger: "now", thinkingBefore: "d", settings: "on 1" },
	batches: [
		{ turn: 0, outcome: "summarized", text: "- the parser", rawUnits: 9, results: [{ entry: "a", ref: "t1" }] },
		{ turn: 1, outcome: "skipped-trivial", rawUnits: 9, results: [{ entry: "e" }] },
		{ turn: 2, outcome: "skipped-deduped", rawUnits: 9, results: [{ entry: "f", ref: "t5", same: "t1" }] },
	],
	blocks: [
		{ id: "b1", start: "s", end: "z", body: "mended", refs: ["t1", "t2"], results: [{ entry: "b", ref: "t2" }] },
	],
	purged: [failed],
	predicted: { removedUnits: 4_000, addedUnits: 40 },
};

test("the line says all that went: results of blocks, arguments, and thinking where it is all there is", () => {
	const { batches, blocks, ...rest } = WHOLE;
	const line =
		"pi-decant: pruned 3 results (1 repeated), arguments of 1 failed call, 1k -> 10 tokens (t1..t3, t5), 1 block for finished tasks (b1)";
	assert.deepEqual(shown(WHOLE), [line]);
	assert.deepEqual(shown(WHOLE, true), [line, "- the parser", "b1", "mended"]);
	assert.deepEqual(shown({ ...rest, batches: [] }), [
		"pi-decant: pruned arguments of 1 failed call, 1k -> 10 tokens (t3)",
	]);
	assert.deepEqual(shown({ ...rest, batches: [], purged: [] }), ["pi-decant: pruned old thinking, 1k -> 10 tokens"]);
	// What a block takes along that a flush of the same epoch had left is left no more.
	const left = { turn: 1, outcome: "skipped-trivial", results: [{ entry: "b" }] };
	assert.deepEqual(shown({ ...rest, purged: [], batches: [left], blocks }), [
		"pi-decant: pruned 1 result, 1k -> 10 tokens (t2), 1 block for finished tasks (b1)",
	]);
});

/** The data with each of its parts, one at a time, missing or replaced by each of `others`. */
function* torn(data: unknown, others: readonly unknown[]): Generator<unknown> {
	yield* others;
	if (typeof data !== "object" || data === null) return;
	for (const key of Object.keys(data)) {
		const { [key]: part, ...rest } = data as Record<string, unknown>;
		yield Array.isArray(data) ? data.toSpliced(Number(key), 1) : rest;
		for (const other of torn(part, others))
			yield Array.isArray(data) ? data.with(Number(key), other) : { ...rest, [key]: other };
	}
}

test("every part of an epoch missing or of another type: no throw, no figure that is none", () => {
	const unprintable = JSON.parse('{"toString":null,"valueOf":null,"length":3,"__proto__":null}');
	const others = [undefined, null, true, 5, -5, Number("1e400"), Number.NaN, "x", [], [null, 7, [unprintable]], {}];
	let seen = 0;
	for (const data of torn(WHOLE, [...others, unprintable, [unprintable]]))
		for (const expanded of [false, true]) {
			const text = shown(data, expanded).join("\n");
			assert.doesNotMatch(text, /Infinity|NaN|undefined|null|\[object|-\d/, JSON.stringify(data));
			seen += 1;
		}
	assert.ok(seen > 1_000, String(seen));
});
