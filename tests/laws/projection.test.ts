// The core's reading of a session file beside pi's own: the same messages, byte for byte as JSON, at every leaf.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type * as Pi from "@earendil-works/pi-coding-agent";
import { piPackageDir, repositoryRoot, sharedDir } from "../harness/paths.ts";
import { scratch } from "../harness/scratch.ts";
import { generatedVersions, sessionTree } from "./trees.ts";

const pi: typeof Pi = await import(pathToFileURL(join(piPackageDir, "dist", "index.js")).href);

/**
 * Lines that can be read and that pi 1.6.0 drops, by file. There pi is given a copy with the line mended, so that the
 * rest is compared all the same.
 */
const droppedByPi: Record<string, string[]> = {
	// Its last entry but one and a compaction, written without a line break between them.
	"03-pi-mono-compact.jsonl": ["line 1013: 2 entries on one line; all read"],
};

/** Messages compared per file at most; a file with more is compared at some leaves only. */
const maxMessages = 15_000;

/** A message as JSON and the place of its entry among the file's entries. */
type Projected = [place: number, json: string];

const folder = scratch("pi-decant-projection-");
let program: string;

before(() => {
	const artifacts = execFileSync(
		"cargo",
		["build", "--quiet", "--package", "decant", "--example", "projection", "--message-format=json"],
		{ cwd: repositoryRoot, encoding: "utf8", maxBuffer: 2 ** 28, stdio: ["ignore", "pipe", "inherit"] },
	);
	const built = artifacts.split("\n").map((line) => (line ? JSON.parse(line) : {}));
	program = built.findLast((artifact) => artifact.executable && artifact.target.name === "projection").executable;
});

after(() => folder.remove());

interface Ours {
	entries: number[];
	faults: string[];
	projections: Projected[][];
}

function readByUs(path: string, places: readonly number[] = []): Ours {
	const run = spawnSync(program, [path, ...places.map(String)], { encoding: "utf8", maxBuffer: 2 ** 30 });
	assert.equal(run.status, 0, run.stderr);
	const [summary, ...projections] = run.stdout.trimEnd().split("\n");
	return { ...JSON.parse(summary ?? ""), projections: projections.map((line) => JSON.parse(line)) };
}

/** The entries as pi loads them from a file; pi rewrites the file of an older version, so it gets a copy. */
function loadByPi(text: string): Pi.SessionEntry[] {
	const copy = join(folder.path, "session.jsonl");
	writeFileSync(copy, text);
	return pi.SessionManager.open(copy).getEntries();
}

function projectByPi(entries: Pi.SessionEntry[], place: number): Projected[] {
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const places = new Map(entries.map((entry, at) => [entry, at]));
	return pi
		.buildSessionProjection(entries, entries[place]?.id, byId)
		.entries.flatMap(({ sourceEntry, messages }) =>
			messages.map((message): Projected => [places.get(sourceEntry) ?? -1, JSON.stringify(message)]),
		);
}

/** All places, or where that is too much: real leaves, what stands beside compactions and edits, and some between. */
function leavesOf(entries: Pi.SessionEntry[]): number[] {
	const all = entries.map((_, place) => place);
	if (entries.length ** 2 / 2 <= maxMessages) return all;
	const parents = new Set(entries.map((entry) => entry.parentId));
	const step = Math.ceil(entries.length ** 2 / 2 / maxMessages);
	const special = (at: number) => ["compaction", "context_edit"].includes(entries[at]?.type ?? "");
	return all.filter(
		(at) => at % step === 0 || special(at - 1) || special(at) || special(at + 1) || !parents.has(entries[at]?.id ?? ""),
	);
}

/** Compares at many leaves; returns how many messages that were. `mended` is the text pi is given. */
function compare(path: string, mended: string): { leaves: number; messages: number; faults: string[] } {
	const entries = loadByPi(mended);
	const leaves = leavesOf(entries);
	const ours = readByUs(path, leaves);
	assert.equal(ours.entries.length, entries.length, `entries read; faults: ${ours.faults.join("; ")}`);
	let messages = 0;
	leaves.forEach((leaf, at) => {
		const expected = projectByPi(entries, leaf);
		assert.deepEqual(ours.projections[at], expected, `${basename(path)}, leaf ${leaf}`);
		messages += expected.length;
	});
	return { leaves: leaves.length, messages, faults: ours.faults };
}

describe("projection of session files at hand", () => {
	const files = globSync(["sessions/*.jsonl", "cases/*.jsonl"], { cwd: sharedDir }).sort();
	if (!existsSync(sharedDir)) test("skipped", { skip: "no ../shared on this machine" }, () => {});
	for (const name of files) {
		test(name, (t) => {
			const path = join(sharedDir, name);
			const text = readFileSync(path, "utf8");
			const expectedFaults = droppedByPi[basename(name)] ?? [];
			const mended = expectedFaults.length > 0 ? text.replaceAll('}{"type":', '}\n{"type":') : text;
			const { leaves, messages, faults } = compare(path, mended);
			assert.deepEqual(faults, expectedFaults);
			t.diagnostic(`${messages} messages at ${leaves} leaves`);
			if (expectedFaults.length > 0)
				assert.ok(loadByPi(text).length < loadByPi(mended).length, "pi reads this line now: take it off the list");
		});
	}
});

describe("projection of generated sessions", () => {
	const seeds = Array.from({ length: 120 }, (_, seed) => seed);
	for (const version of generatedVersions) {
		test(`version ${version}, ${seeds.length} sessions at every entry`, (t) => {
			let messages = 0;
			for (const seed of seeds) {
				const text = sessionTree(seed, version);
				const path = join(folder.path, `v${version}-${seed}.jsonl`);
				writeFileSync(path, text);
				messages += compare(path, text).messages;
			}
			assert.ok(messages > 10_000, `only ${messages} messages`);
			t.diagnostic(`${messages} messages`);
		});
	}

	test("blank and CR LF lines change nothing; torn and welded lines are what pi drops and we read", () => {
		const header = '{"type":"session","version":3,"id":"s"}';
		const user = (id: string, parent: string | null) =>
			JSON.stringify({
				type: "message",
				id,
				parentId: parent,
				timestamp: "2026-01-05T09:00:00.000Z",
				message: { role: "user", content: id, timestamp: 1 },
			});
		const [a, b, c] = [user("a", null), user("b", "a"), user("c", "b")];
		const path = join(folder.path, "faulty.jsonl");
		const read = (text: string) => {
			writeFileSync(path, text);
			return { us: readByUs(path).entries.length, pi: loadByPi(text).length };
		};
		assert.deepEqual(read(`${header}\r\n\r\n${a}\r\n \n${b}\r\n${c}`), { us: 3, pi: 3 });
		assert.deepEqual(read(`${header}\n${a}${b}\n${c}\n`), { us: 3, pi: 1 });
		assert.deepEqual(read(`${header}\n${a.slice(0, 50)}${b}\n${c}\n`), { us: 2, pi: 1 });
		assert.deepEqual(read(`${header}\n${a}\n${b.slice(0, 50)}`), { us: 1, pi: 1 });
		writeFileSync(path, `\ufeff${header}\n${a}\n`);
		assert.equal(readByUs(path).entries.length, 1);
		assert.throws(() => loadByPi(`\ufeff${header}\n${a}\n`), /not a valid pi session/);
	});
});
