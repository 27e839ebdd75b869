// The boundary is the core: the same bytes on JavaScript objects as natively, however a session came to where it stands,
// and whatever other extensions do to the messages on their way.

import assert from "node:assert/strict";
import { existsSync, globSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { after, describe, test } from "node:test";
import fc from "fast-check";
import { awkwardSession } from "../harness/awkward.ts";
import { sharedDir } from "../harness/paths.ts";
import { scratch } from "../harness/scratch.ts";
import type { Entry } from "../harness/sessions.ts";
import { apply, load, type Message, messagesOf, native, oddities, read, withEpochs, write } from "./boundary.ts";

const folder = scratch("pi-decant-boundary-");
after(() => folder.remove());

/** Points of a session at equal distances, and its last. */
function placesOf(entries: readonly unknown[], most: number): number[] {
	const step = Math.max(1, Math.ceil(entries.length / most));
	const places = entries.map((_, at) => at).filter((at) => at % step === step - 1);
	return places.at(-1) === entries.length - 1 ? places : [...places, entries.length - 1];
}

const json = (value: unknown) => JSON.stringify(value);

/** Every message that goes out as it came in is the same object. */
function assertIdentity(before: readonly Message[], sent: readonly Message[], given: readonly Message[]): void {
	const unchanged = new Map(given.map((message, at) => [json(before[at]), message]));
	const objects = new Set<unknown>(given);
	for (const message of sent) {
		if (unchanged.has(json(message))) assert.ok(objects.has(message), "an untouched message lost its identity");
	}
}

interface Compared {
	points: number;
	changed: number;
}

/** Native and boundary at these points, in a session that grows and in fresh ones. */
function compare(entries: readonly Entry[], most: number): Compared {
	const path = join(folder.path, "session.jsonl");
	write(path, entries);
	const places = placesOf(entries, most);
	const answers = native(path, places);
	const grown = load([]);
	let from = 0;
	let changed = 0;
	places.forEach((place, at) => {
		const { messages, out, sizes } = answers[at] as (typeof answers)[number];
		grown.appendEntries(entries.slice(from, place + 1));
		from = place + 1;
		const fresh = load(entries.slice(0, from));
		for (const [what, session] of [
			["fresh", fresh],
			["grown", grown],
		] as const) {
			const given = structuredClone(messages);
			const sent = session.applyContext(given) as Message[] | undefined;
			if (out === null) {
				assert.equal(sent, undefined, `${what}, entry ${place}: nothing changes natively`);
				assert.equal(json(given), json(messages), `${what}, entry ${place}: the messages are as they were`);
			} else {
				assert.equal(json(sent), json(out), `${what}, entry ${place}`);
				assertIdentity(messages, sent ?? [], given);
				changed++;
			}
			assert.deepEqual(session.report().sizes, sizes, `${what}, entry ${place}: heads`);
		}
		assert.deepEqual(grown.report(), fresh.report(), `entry ${place}: report`);
		assert.equal(grown.leafId, entries[place]?.id);
		fresh.free();
	});
	grown.free();
	return { points: places.length, changed };
}

/** The branch that ends at the last entry, and one for each other leaf. */
function branches(entries: readonly Entry[]): Entry[][] {
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const parents = new Set(entries.map((entry) => entry.parentId));
	const leaves = entries.filter((entry) => !parents.has(entry.id));
	return leaves.map((leaf) => {
		const path: Entry[] = [];
		for (let at: Entry | undefined = leaf; at; at = byId.get(at.parentId ?? "")) path.push(at);
		return path.reverse();
	});
}

describe("boundary and native core on session files at hand", () => {
	const files = globSync(["sessions/*.jsonl", "cases/*.jsonl"], { cwd: sharedDir }).sort();
	if (!existsSync(sharedDir)) test("skipped", { skip: "no ../shared on this machine" }, () => {});
	for (const name of files) {
		test(name, (t) => {
			const path = join(sharedDir, name);
			const most = Math.max(4, Math.floor(10_000_000 / statSync(path).size));
			const entries = read(path);
			const found = branches(entries).map((branch) => compare(withEpochs(branch, 9), Math.min(most, 60)));
			const sum = (key: keyof Compared) => found.reduce((total, one) => total + one[key], 0);
			t.diagnostic(`${basename(name)}: ${sum("points")} points, ${sum("changed")} with changes`);
		});
	}
});

test("boundary and native core on generated sessions", (t) => {
	let changed = 0;
	let points = 0;
	for (let seed = 0; seed < 60; seed++) {
		const session = awkwardSession(seed, { prompts: 3, unanswered: seed % 2 === 0 });
		const entries = seed % 3 === 0 ? session.entries : oddities(seed, session.entries);
		const found = compare(withEpochs(entries, 3 + (seed % 5)), 8);
		changed += found.changed;
		points += found.points;
	}
	assert.ok(changed > points / 2, `only ${changed} of ${points} requests had anything to change`);
	t.diagnostic(`${points} points, ${changed} requests with changes`);
});

/** What other extensions do to a request before it reaches us. */
type Meddling = { kind: "drop" | "copy" | "insert" | "swap" | "role"; at: number };

const meddling: fc.Arbitrary<Meddling[]> = fc.array(
	fc.record({ kind: fc.constantFrom("drop", "copy", "insert", "swap", "role"), at: fc.nat(200) }),
	{ maxLength: 4 },
);

function meddle(messages: Message[], steps: readonly Meddling[]): Message[] {
	const result = [...messages];
	for (const { kind, at } of steps) {
		if (result.length < 2) break;
		const index = at % (result.length - 1);
		const one = result[index] as Message;
		const next = result[index + 1] as Message;
		if (kind === "drop") result.splice(index, 1);
		if (kind === "copy") result.splice(index + 1, 0, structuredClone(one));
		if (kind === "insert") result.splice(index, 0, { role: "user", content: "injected", timestamp: at });
		if (kind === "swap") result.splice(index, 2, next, one);
		if (kind === "role") result[index] = { ...one, role: "oracle", timestamp: at };
	}
	return result;
}

/** Sessions with their messages at the end. */
const samples = [1, 2, 3, 5, 8].map((seed) => {
	const entries = withEpochs(awkwardSession(seed, { prompts: 4 }).entries, 4);
	return { entries };
});

test("other extensions drop, copy, insert and swap messages: a session that saw them is as good as a fresh one", () => {
	const at = samples.map(({ entries }) => ({ entries, messages: messagesOf(folder.path, entries) }));
	fc.assert(
		fc.property(fc.constantFrom(...at), fc.array(meddling, { maxLength: 3 }), ({ entries, messages }, rounds) => {
			const seen = load(entries);
			apply(seen, messages);
			for (const steps of rounds) {
				const request = meddle(structuredClone(messages), steps);
				const fresh = load(entries);
				const expected = apply(fresh, request);
				assert.equal(json(apply(seen, request)), json(expected));
				fresh.free();
				checkPairs(request, expected ?? request);
			}
			seen.free();
		}),
		{ numRuns: 400, seed: 20260105 },
	);
});

/** No result goes out without its call, and none that had one is lost, but in a block with it. */
function checkPairs(given: readonly Message[], sent: readonly Message[]): void {
	const count = (messages: readonly Message[]) => {
		let open: unknown[] = [];
		let answers = 0;
		let orphans = 0;
		for (const message of messages) {
			const blocks = Array.isArray(message.content) ? message.content : [];
			if (message.role === "assistant") {
				const failed = message.stopReason === "error" || message.stopReason === "aborted";
				open = failed ? [] : blocks.filter((block) => block?.type === "toolCall").map(({ id }) => id ?? "");
			} else if (message.role === "toolResult") {
				const place = open.indexOf(message.toolCallId ?? "");
				if (place >= 0) open.splice(place, 1);
				if (place >= 0) answers++;
				else orphans++;
			} else if (message.role !== "system") {
				open = [];
			}
		}
		return { answers, orphans };
	};
	assert.equal(count(sent).orphans, 0, "an orphan goes out");
	const blocks = sent.some((message) => json(message.content)?.includes("<compressed-chain"));
	if (!blocks) assert.equal(count(sent).answers, count(given).answers, "a pair is lost");
}

test("parallel results of one time and one id, swapped: each keeps its own form", () => {
	const call = { type: "toolCall", id: "dup", name: "read", arguments: {} };
	const message = (id: string, parentId: string | null, message: object): Entry =>
		({ type: "message", id, parentId, timestamp: "2026-01-05T09:00:00.000Z", message }) as Entry;
	const result = (text: string, toolCallId = "dup") => ({
		role: "toolResult",
		toolCallId,
		toolName: "read",
		content: [{ type: "text", text }],
		isError: false,
		timestamp: 5,
	});
	const entries = withEpochs(
		[
			message("u", null, { role: "user", content: "go", timestamp: 4 }),
			message("a", "u", {
				role: "assistant",
				content: [call, { ...call, id: "other" }],
				stopReason: "toolUse",
				timestamp: 5,
			}),
			message("r1", "a", result("first ".repeat(200))),
			message("r2", "r1", result("second ".repeat(200), "other")),
		],
		4,
	);
	assert.equal(entries.length, 5, "a flush");
	const messages = messagesOf(folder.path, entries);
	const session = load(entries);
	const textOf = ({ content }: Message) => (content as { text: string }[])[0]?.text;
	const straight = apply(session, messages);
	const swapped = apply(session, [messages[0], messages[1], messages[3], messages[2]] as Message[]);
	const results = (sent?: Message[]) => (sent ?? []).filter((message) => message.role === "toolResult");
	const ref = (message: Message) => [message.toolCallId, textOf(message)?.match(/ref `(t\d+)`/)?.[1]];
	const refs = new Map(results(straight).map(ref) as [string, string][]);
	assert.deepEqual([...refs.values()], ["t1", "t2"]);
	// Out of order only one of them can be found in order; none gets the other's.
	assert.equal(results(swapped).length, 2);
	for (const [id, name] of results(swapped).map(ref)) {
		if (name) assert.equal(name, refs.get(id as string));
	}
	session.free();
});
