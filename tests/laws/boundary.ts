// Both sides of the boundary: the core as the package ships it, and the same core natively.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Core from "../../pkg-ts/wasm/decant.js";
import { packageDir, repositoryRoot, requireBuild } from "../harness/paths.ts";
import type { Entry } from "../harness/sessions.ts";

export type Session = Core.Session;
export type Message = Record<string, unknown> & { role?: unknown; timestamp?: unknown };

requireBuild();
const glue = (await import(pathToFileURL(join(packageDir, "wasm", "decant.js")).href)) as typeof Core;
glue.initSync({ module: readFileSync(join(packageDir, "dist", "decant_bg.wasm")) });

/** A session with default settings that has these entries. */
export function load(entries: readonly object[]): Session {
	const session = new glue.Session({}, "/work");
	session.loadBranch(entries);
	return session;
}

/** What pi would send for a branch, what the native core makes of it, and the UTF-16 units of both. */
export interface Native {
	messages: Message[];
	out: Message[] | null;
	sizes: { before: number; after: number };
}

let program: string | undefined;

/** Asks the native core about the branches that end at these places of the file's entries. */
export function native(path: string, places: readonly number[]): Native[] {
	return run<Native>([path, ...places.map(String)]);
}

/** The entries of a session file of any version, as version 3 has them. */
export function read(path: string): Entry[] {
	return run<Entry>([path]);
}

function run<T>(args: readonly string[]): T[] {
	program ??= buildExample("render");
	const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 2 ** 30 });
	if (status !== 0) throw new Error(stderr);
	const lines = stdout.split("\n").filter((line) => line !== "");
	return lines.map((line) => JSON.parse(line) as T);
}

function buildExample(name: string): string {
	const artifacts = execFileSync(
		"cargo",
		["build", "--quiet", "--package", "decant", "--example", name, "--message-format=json"],
		{ cwd: repositoryRoot, encoding: "utf8", maxBuffer: 2 ** 28, stdio: ["ignore", "pipe", "inherit"] },
	);
	const built = artifacts.split("\n").map((line) => (line ? JSON.parse(line) : {}));
	return built.findLast((artifact) => artifact.executable && artifact.target.name === name).executable;
}

/** As the extension's look-up: the newest edit of an entry counts. */
export function lookupIn(entries: readonly Entry[]): (id: string) => object | undefined {
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const edits = new Map<unknown, unknown>();
	for (const entry of entries) if (entry.type === "context_edit") edits.set(entry.targetId, entry.replacement);
	return (id) => {
		const entry = byId.get(id);
		if (!entry || !edits.has(id)) return entry;
		const edit = edits.get(id) as { content: unknown } | null;
		if (edit === null) return undefined;
		const blocks = typeof edit.content === "string" ? [{ type: "text", text: edit.content }] : edit.content;
		return { ...entry, message: { ...(entry.message as object), content: blocks } };
	};
}

/** The branch with our epochs in it, written by the core itself: one every `every` entries, so in the middle of turns too. */
export function withEpochs(branch: readonly Entry[], every: number): Entry[] {
	const entries: Entry[] = [];
	const session = load([]);
	const add = (entry: Entry) => {
		const moved = { ...entry, parentId: entries.at(-1)?.id ?? null };
		entries.push(moved);
		session.appendEntries([moved]);
	};
	branch.forEach((entry, at) => {
		add(entry);
		if (at % every !== every - 1) return;
		const plan = session.planFlush("now", lookupIn(entries), { api: "anthropic-messages", id: "faux-1" });
		if (!plan) return;
		const summaries = plan.batches.map(({ calls }, nth) =>
			nth % 4 === 3 ? null : { text: calls.map(({ toolName }, n) => `- [[${n + 1}:${toolName}]] 🙂 seen.`).join("\n") },
		);
		const { entry: epoch } = session.commitFlush(plan.id, summaries, undefined);
		if (!epoch) return;
		const id = `epoch${String(at).padStart(6, "0")}`;
		add({ type: "custom", id, parentId: null, timestamp: entry.timestamp, ...epoch } as Entry);
	});
	session.free();
	return entries;
}

/** A session file of these entries. */
export function write(path: string, entries: readonly object[]): void {
	const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-05T09:00:00.000Z", cwd: "/work" };
	writeFileSync(path, [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** pi hands a hook a clone. */
export function apply(session: Session, messages: readonly Message[]): Message[] | undefined {
	return session.applyContext(structuredClone(messages as Message[])) as Message[] | undefined;
}

/** What JSON has and no sensible session: half a pair, ids of other scripts, times that tie or are none. */
export function oddities(seed: number, entries: Entry[]): Entry[] {
	const clone = structuredClone(entries);
	const messages = clone.flatMap(({ message }) => (message ? [message as Message] : []));
	messages.forEach((message, at) => {
		const pick = (seed * 31 + at * 17) % 23;
		const blocks = Array.isArray(message.content) ? (message.content as Record<string, unknown>[]) : [];
		const first = blocks.find((block) => block.type === "text");
		if (pick === 0 && first) first.text = `${first.text}\ud83e`;
		if (pick === 1 && first) first.text = `\udd80${first.text}`;
		if (pick === 2) message.timestamp = messages[at - 1]?.timestamp;
		if (pick === 3) message.timestamp = null;
		if (pick === 4) delete message.timestamp;
		if (pick === 5) blocks.push({ type: "future" }, null as never, { type: "text" }, { type: "text", text: 5 });
		if (pick === 6) message.content = "plain string";
		if (pick === 7) message.details = { "10": 1, "9": -0, nested: [1e21, 1.0] };
		if (pick === 8) message.content = null;
	});
	for (const entry of clone) {
		if (entry.id.endsWith("3")) entry.id = `ид-${entry.id}-🦀`;
		if (entry.type === "custom_message" && seed % 4 < 2) {
			(entry as { timestamp: unknown }).timestamp = seed % 2 ? null : Date.parse(entry.timestamp);
		}
	}
	// Ids are named by what follows.
	const renamed = new Map(entries.map((entry, at) => [entry.id, clone[at]?.id]));
	for (const entry of clone) {
		for (const key of ["parentId", "targetId", "firstKeptEntryId"]) {
			const id = renamed.get(entry[key] as string);
			if (id) entry[key] = id;
		}
	}
	return clone;
}

/** What the native core would send at the end of this branch; its file is written into `folder`. */
export function messagesOf(folder: string, entries: readonly Entry[]): Message[] {
	const path = join(folder, "sample.jsonl");
	write(path, entries);
	return native(path, [entries.length - 1])[0]?.messages ?? [];
}
