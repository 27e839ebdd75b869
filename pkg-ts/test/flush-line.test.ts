import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlushOutcome } from "../src/boundary.ts";
import type { FlushEnd } from "../src/flush/flusher.ts";
import { backgroundLine, flushLine } from "../src/ui/flush-line.ts";

const note = (outcome: FlushOutcome["notes"][number]["outcome"], rawUnits: number, summaryUnits = 0, calls = 1) => ({
	turn: 1,
	outcome,
	calls,
	rawUnits,
	summaryUnits,
});

function committed(
	notes: FlushOutcome["notes"],
	more: Partial<Extract<FlushEnd, { kind: "committed" }>> = {},
): FlushEnd {
	const summarized = notes.filter(({ outcome }) => outcome === "summarized").length;
	return {
		kind: "committed",
		outcome: { summarized, calls: 3 * summarized, savedUnits: 80_000, notes, blocks: [] },
		failures: [],
		models: ["fake/one"],
		...more,
	};
}

test("a flush that went well says what it saved, by whom, and what it left", () => {
	assert.deepEqual(flushLine(committed([note("summarized", 9_000, 900)])), {
		level: "info",
		text: "pi-decant: summarized 3 tool results in 1 batch with fake/one, about 20k tokens less in each request from now on.",
	});
	const { text } = flushLine(
		committed([
			note("summarized", 9_000, 900),
			note("skipped-oversized", 1_000, 1_200),
			note("skipped-oversized", 1_100, 1_300),
			note("skipped-trivial", 40),
			note("skipped-deduped", 5_000, 0, 2),
		]),
	);
	assert.equal(
		text,
		"pi-decant: summarized 3 tool results in 1 batch with fake/one, pruned 2 results that repeat an earlier one, about 20k tokens less in each request from now on. 2 summaries came out no shorter than the output and were not used (2,500 characters for 2,100); a higher /pruner min-batch-chars asks for fewer. Too small to be worth a summary: 1 batch of 40 characters.",
	);
});

test("one that found nothing worth it does not claim to have summarized", () => {
	assert.equal(
		flushLine(committed([note("skipped-trivial", 40)], { models: [] })).text,
		"pi-decant: nothing was summarized. Too small to be worth a summary: 1 batch of 40 characters.",
	);
});

test("one that found only repetitions says what they save", () => {
	assert.equal(
		flushLine(committed([note("skipped-deduped", 4_000)], { models: [] })).text,
		"pi-decant: pruned 1 result that repeats an earlier one, about 20k tokens less in each request from now on.",
	);
});

test("blocks are named, also where nothing was summarized", () => {
	const outcome = { summarized: 0, calls: 0, savedUnits: 9_000, notes: [], blocks: ["b1", "b2"] };
	assert.equal(
		flushLine({ kind: "committed", outcome, failures: [] }).text,
		"pi-decant: nothing was summarized. Finished work became 2 blocks (b1, b2).",
	);
});

test("a flush that ran by itself speaks of trouble and of money for nothing, else of nothing", () => {
	const quietly = (end: FlushEnd, quiet = false) => backgroundLine(end, quiet);
	assert.equal(quietly(committed([note("summarized", 9_000, 900), note("skipped-trivial", 40)])), undefined);
	const wasted = committed([note("skipped-oversized", 1_000, 1_200)]);
	// The epoch's line in the transcript says the rest.
	assert.equal(
		quietly(wasted)?.text,
		"pi-decant: 1 summary came out no shorter than the output and was not used (1,200 characters for 1,000); a higher /pruner min-batch-chars asks for fewer.",
	);
	assert.equal(quietly(wasted, true), undefined);
	const partly = committed([note("summarized", 9_000, 900)], { failures: [{ message: "fake/one gave labels" }] });
	assert.deepEqual(
		[quietly(partly, true)?.level, quietly(partly)?.text],
		[
			"warning",
			"pi-decant: 1 batch failed and will be tried again (fake/one gave labels). /pruner model chooses another summarizer.",
		],
	);
	for (const silent of [
		{ kind: "nothing" },
		{ kind: "busy" },
		{ kind: "dropped", why: "moved" },
		{ kind: "dropped", why: "aborted" },
	] as const)
		assert.equal(quietly(silent), undefined);
	const troubles: FlushEnd[] = [
		{ kind: "held" },
		{ kind: "shared" },
		{ kind: "failed", failures: [] },
		{ kind: "unwritten", message: "EROFS" },
	];
	for (const trouble of troubles) assert.equal(quietly(trouble, true)?.level, "warning", trouble.kind);
});
