// The core for a benchmark: the generated glue around the wasm that ships.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageDir, requireBuild } from "../harness/paths.ts";
import type { Entry } from "../harness/sessions.ts";

export interface FlushPlan {
	id: number;
	batches: { calls: { toolName: string }[] }[];
}

export interface CoreSession {
	free(): void;
	loadBranch(entries: readonly object[]): void;
	appendEntries(entries: readonly object[]): void;
	applyContext(messages: readonly object[]): object[] | undefined;
	captureTurn(
		turn: { assistantEntryId: string; resultEntryIds: string[] },
		lookup: (id: string) => object | undefined,
	): unknown;
	planFlush(trigger: string, lookup: (id: string) => object | undefined): FlushPlan | undefined;
	commitFlush(plan: number, summaries: { text: string }[]): { entry?: { customType: string; data: object } };
	report(): { shownStubs: number; epochs: number; sizes: { before: number; after: number } };
}

interface Glue {
	initSync(options: { module: Uint8Array }): { memory: WebAssembly.Memory };
	Session: new (config: object) => CoreSession;
}

requireBuild();
export const wasmPath = join(packageDir, "dist", "decant_bg.wasm");

const started = performance.now();
const glue = (await import(pathToFileURL(join(packageDir, "wasm", "decant.js")).href)) as Glue;
const { memory } = glue.initSync({ module: readFileSync(wasmPath) });
/** Bytes of the core's memory; it never shrinks. */
export const memoryBytes = () => memory.buffer.byteLength;
const first = new glue.Session({});
first.applyContext([]);
first.free();
/** Milliseconds from nothing to the first answer: read, compile, instantiate, one call. */
export const loadMs = performance.now() - started;

export function newSession(): CoreSession {
	return new glue.Session({});
}

/**
 * Flushes all that is finished, as the extension would with a summarizer that writes a line a call, and gives the epoch
 * entry, already appended.
 */
export function flush(session: CoreSession, entries: readonly Entry[]): object {
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const plan = session.planFlush("agent-message", (id) => byId.get(id));
	if (!plan) throw new Error("nothing to flush");
	const summaries = plan.batches.map(({ calls }) => ({
		text: calls.map(({ toolName }, at) => `- [[${at + 1}:${toolName}]] looked at; nothing unusual.`).join("\n"),
	}));
	const { entry } = session.commitFlush(plan.id, summaries);
	if (!entry) throw new Error("the flush wrote nothing");
	const last = entries.at(-1) as Entry;
	const written = { type: "custom", id: "feedc0de", parentId: last.id, timestamp: last.timestamp, ...entry };
	session.appendEntries([written]);
	return written;
}
