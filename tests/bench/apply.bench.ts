// The budgets of the design, section 11: applyContext beside the structuredClone pi makes for the same request.

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { LongSession } from "../harness/long-session.ts";
import type { Entry } from "../harness/sessions.ts";
import { type CoreSession, flush, loadMs, memoryBytes, newSession, wasmPath } from "./core.ts";
import { median, ms, print, type Row, settle, timed } from "./measure.ts";

const sizes = [200, 1_000, 5_000, 20_000] as const;
/** Calls before the counted ones: a session makes hundreds of requests, the first few on cold code. */
const warmUp = 3;
const repeats = (count: number) => Math.max(11, Math.min(61, Math.round(150_000 / count)));

interface Measured {
	clone: number;
	apply: number;
	/** Whether the list changed. */
	changed: boolean;
}

/** One request: a fresh clone, as pi makes it, and what we do with it. Both are timed. */
function request(session: CoreSession, messages: readonly object[]): Measured {
	const clone = timed(() => structuredClone(messages) as object[]);
	const apply = timed(() => session.applyContext(clone.value));
	return { clone: clone.ms, apply: apply.ms, changed: apply.value !== undefined };
}

function row(what: string, runs: readonly Measured[], budget: number): Row {
	// The ratio of each pair, then the median: clone and apply of one pair saw the same machine.
	const figure = median(runs.map(({ clone, apply }) => (apply / clone) * 100));
	const [clone, apply] = [median(runs.map((run) => run.clone)), median(runs.map((run) => run.apply))];
	return { what, reference: ms(clone), own: ms(apply), figure, budget, unit: "%" };
}

interface Size {
	count: number;
	bytes: number;
	/** Median of applyContext in a running session, ms. */
	running: number;
	rows: Row[];
	load: Row;
}

function measure(count: number): Size {
	const long = new LongSession();
	long.growTo(count);
	const lines = long.session.entries.map((entry) => JSON.stringify(entry));
	// As pi has them: read from a file.
	const read = () => lines.map((line) => JSON.parse(line) as Entry);
	const entries = read();
	const messages = entries.map((entry) => entry.message as object);
	const rounds = repeats(count);

	// The flush is planned on a session of its own; its entry is all a later load needs.
	const planner = newSession();
	planner.loadBranch(entries);
	const flushed = [...entries, flush(planner, entries) as Entry];
	planner.free();

	const first = Array.from({ length: rounds }, () => {
		const session = newSession();
		session.loadBranch(flushed);
		const measured = request(session, messages);
		session.free();
		return measured;
	});

	const untouched = newSession();
	untouched.loadBranch(entries);
	for (let n = 0; n < warmUp; n++) request(untouched, messages);
	const nothing = Array.from({ length: rounds }, () => request(untouched, messages));
	untouched.free();

	const session = newSession();
	session.loadBranch(flushed);
	for (let n = 0; n < warmUp; n++) request(session, messages);
	const running = Array.from({ length: rounds }, () => {
		const before = long.session.entries.length;
		long.turn();
		const added = structuredClone(long.session.entries.slice(before));
		session.appendEntries(added);
		messages.push(...added.map((entry) => entry.message as object));
		return request(session, messages);
	});
	const { shownStubs } = session.report();
	session.free();
	if (!running.every((run) => run.changed) || !first.every((run) => run.changed) || nothing.some((run) => run.changed))
		throw new Error("a situation is not what it says: the figures would mean nothing");

	const parse = median(
		Array.from({ length: 5 }, () => timed(() => lines.map((line) => JSON.parse(line) as object)).ms),
	);
	const loads = Array.from({ length: 5 }, () => {
		settle();
		const fresh = newSession();
		const load = timed(() => fresh.loadBranch(flushed));
		fresh.free();
		return load.ms;
	});
	const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0);
	const label = `${count.toLocaleString("en-US")} messages, `;
	return {
		count,
		bytes,
		running: median(running.map((run) => run.apply)),
		rows: [
			row(`${label}running (${shownStubs.toLocaleString("en-US")} stubs)`, running, 3),
			row(`${label}nothing to change`, nothing, count >= 5_000 ? 1 : 2),
			row(`${label}first render`, first, 12),
		],
		load: {
			what: `${label}${(bytes / 1e6).toFixed(1)} MB`,
			reference: ms(parse),
			own: ms(median(loads)),
			figure: (median(loads) / parse) * 100,
			budget: 50,
			unit: "%",
		},
	};
}

/** A turn with `calls` results of together 1 MB of text, behind a session of `size` messages: taken in, and captured. */
function capture(what: string, calls: number, size: number): Row {
	const long = new LongSession();
	long.growTo(size);
	const text = readFileSync(wasmPath).toString("base64").repeat(4);
	const share = Math.floor(1_000_000 / calls);
	const runs = Array.from({ length: 15 }, () => {
		const session = newSession();
		session.loadBranch(long.session.entries);
		const before = long.session.entries.length;
		const texts = Array.from({ length: calls }, (_, at) => text.slice(at, at + share));
		const turn = texts.map((result) => ({ name: "read", args: {}, result }));
		const { assistant, results } = long.session.toolTurn(turn);
		const added = structuredClone(long.session.entries.slice(before));
		const byId = new Map(added.map((entry) => [entry.id, entry]));
		const own = timed(() => {
			session.appendEntries(added);
			session.captureTurn({ assistantEntryId: assistant, resultEntryIds: results }, (id) => byId.get(id));
		});
		const sha = timed(() => texts.map((one) => hash("sha1", one)));
		session.free();
		long.session.entries.length = before;
		return { own: own.ms, sha: sha.ms };
	});
	const [sha, own] = [median(runs.map((run) => run.sha)), median(runs.map((run) => run.own))];
	return { what, reference: ms(sha), own: ms(own), figure: own / sha, budget: 3, unit: "x" };
}

/** How far the core's memory grows by a session of 2,000 archived results of this length: it keeps entry ids, not text. */
function archived(length: number): Row {
	const session = newSession();
	const long = new LongSession();
	const before = memoryBytes();
	for (let turn = 0; turn < 2_000; turn++) {
		long.session.toolTurn([
			{ name: "read", args: { path: `src/${turn}.ts` }, result: `${turn} ${"x".repeat(length)}` },
		]);
	}
	session.loadBranch(long.session.entries);
	session.appendEntries([flush(session, long.session.entries)]);
	const grown = (memoryBytes() - before) / 1_000;
	session.free();
	return {
		what: `2,000 results of ${length.toLocaleString("en")} characters`,
		reference: `${((2_000 * length) / 1e6).toFixed(0)} MB`,
		own: `${grown.toFixed(0)} kB`,
		figure: grown,
		budget: 16_000,
		unit: "kB",
	};
}

const measured = sizes.map((count) => measure(count));
const at = (count: number) => measured.find((size) => size.count === count) as Size;
print(
	"applyContext, a fresh clone for each call",
	["clone", "apply"],
	measured.flatMap(({ rows }) => rows),
);
print(
	"growth of the running session",
	["5,000", "20,000"],
	[
		{
			what: "5,000 to 20,000 messages",
			reference: ms(at(5_000).running),
			own: ms(at(20_000).running),
			figure: at(20_000).running / at(5_000).running,
			budget: 5,
			unit: "x",
		},
	],
);
print(
	"loadBranch beside JSON.parse of the lines",
	["JSON.parse", "loadBranch"],
	measured.map(({ load }) => load),
);
print(
	"captureTurn beside Node's SHA-1 of 1 MB",
	["SHA-1", "capture"],
	[
		capture("one result of 1 MB", 1, 200),
		capture("200 results in a turn", 200, 200),
		capture("behind 5,000 results", 1, 10_000),
	],
);
print("memory of the core, by what was archived", ["archived", "grown"], [archived(2_000), archived(20_000)]);
const wasm = readFileSync(wasmPath);
const size = (what: string, bytes: number, budget: number): Row => ({
	what,
	reference: "",
	own: "",
	figure: bytes / 1_000,
	budget,
	unit: "kB",
});
print(
	"the wasm",
	["", ""],
	[
		size("size", wasm.length, 850),
		size("size, gzipped", gzipSync(wasm, { level: 9 }).length, 310),
		{ what: "load and first call", reference: "", own: "", figure: loadMs, budget: 40, unit: "ms" },
	],
);
console.log("\n  Medians of one run on this machine; the ratios say more than the milliseconds.\n");
