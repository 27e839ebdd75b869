// Session trees of all versions from a seed: branches, compactions and edits wherever they can stand, odd values.

import { type Random, random, textKinds, textOfKind } from "../harness/random.ts";
import { type Block, SessionBuilder, tinyPng } from "../harness/sessions.ts";

/** Values JSON.stringify never writes and JSON.parse reads: law 9. They stand for `mark` in the file. */
const awkwardJson =
	'{"b":1.0,"10":-0,"a":1e400,"2":9007199254740993,"__proto__":{"x":1},"s":"\\ud83d\\u0041","b":[1e-7,1E21],"😀":"\\ude00"}';
const mark = "@awkward@";

export const generatedVersions = [1, 2, 3] as const;

/** The text of a session file of this version. */
export function sessionTree(seed: number, version: (typeof generatedVersions)[number]): string {
	const session = build(random(seed), version > 1);
	if (version === 2) session.header.version = 2;
	if (version === 1) flatten(random(seed ^ 0x5bd1e995), session);
	return session.jsonl().replaceAll(JSON.stringify(mark), awkwardJson);
}

function build(r: Random, branches: boolean): SessionBuilder {
	const session = new SessionBuilder();
	for (let left = r.int(5, 60); left > 0; left--) {
		if (branches && session.entries.length > 0 && r.chance(0.08)) session.branch(anyId(r, session));
		addEntry(r, session);
		const last = session.entries.at(-1);
		if (last && r.chance(0.05)) oddTimestamp(r, last);
	}
	return session;
}

function addEntry(r: Random, session: SessionBuilder): void {
	const kind = r.int(0, 19);
	if (kind <= 4) session.user(r.chance(0.5) ? textOfKind(r, r.pick(textKinds), r.int(0, 80)) : blocks(r));
	else if (kind <= 7) session.assistant(blocks(r), r.chance(0.2) ? { stopReason: r.pick(["error", "aborted"]) } : {});
	else if (kind <= 9) session.result(r.pick(["dup", "", "call|fc_1"]), "read", blocks(r), r.chance(0.2));
	else if (kind === 10) session.message(oddMessage(r));
	else if (kind === 11) session.customMessage(r.pick(["other-ext", "context-prune-summary"]), blocks(r));
	else if (kind === 12) session.append("custom_message", { customType: 7, content: null, details: mark });
	else if (kind === 13) session.append("branch_summary", { fromId: "root", summary: r.pick(["", "what was tried"]) });
	else if (kind <= 15) compact(r, session);
	else if (kind <= 17) edit(r, session);
	else if (kind === 18) session.custom("other-ext", mark);
	else session.append(r.pick(["label", "future_thing", "usage"]), { targetId: anyId(r, session), payload: mark });
}

function blocks(r: Random): Block[] {
	const choices: Block[] = [
		{ type: "text", text: textOfKind(r, r.pick(textKinds), r.int(0, 60)) },
		{ type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" },
		{ type: "image", data: tinyPng, mimeType: "image/png" },
		{ type: "toolCall", id: "dup", name: "read", arguments: { path: "a.ts", odd: mark } },
	];
	return Array.from({ length: r.int(0, 3) }, () => r.pick(choices));
}

function oddMessage(r: Random): Record<string, unknown> {
	return r.pick<Record<string, unknown>>([
		{ role: "system", content: "Be brief.", sections: mark },
		{ role: "system", content: null },
		{ role: r.pick(["user", "assistant", "toolResult"]), content: null },
		{ role: r.pick(["user", "assistant", "toolResult"]) },
		{ role: "hookMessage", customType: "x", content: "from a hook", display: true },
		{ role: "bashExecution", command: "ls", output: "a\nb", exitCode: 0, cancelled: false, truncated: false },
		{ role: "oracle", content: mark },
		{ content: "no role" },
	]);
}

/** A compaction that keeps from any entry of the file on, itself included (retain none), or names none that is there. */
function compact(r: Random, session: SessionBuilder): void {
	const id = session.compaction(anyId(r, session), r.pick(["", "Work so far."]));
	const entry = session.entries.at(-1);
	if (!entry) return;
	if (r.chance(0.2)) entry.firstKeptEntryId = r.pick([id, "gone", undefined]);
	if (r.chance(0.3)) entry.systemMessage = { role: "system", content: "Checkpoint.", timestamp: 1 };
}

function edit(r: Random, session: SessionBuilder): void {
	const content = r.pick([null, "short", "", blocks(r)]);
	session.contextEdit(anyId(r, session), content);
	const entry = session.entries.at(-1);
	if (entry && r.chance(0.1)) entry.replacement = r.pick<unknown>(["text", {}, [], 5]);
}

function oddTimestamp(r: Random, entry: { timestamp: unknown }): void {
	entry.timestamp = r.pick<unknown>([undefined, null, "2026-01-05T09:00:07.5-05:30", 1_767_603_607_000.5, "soon", ""]);
}

function anyId(r: Random, session: SessionBuilder): string {
	return session.entries.length > 0 ? r.pick(session.entries).id : "gone";
}

/** As version 1 wrote it: no version, no ids, in file order; compactions count entries. */
function flatten(r: Random, session: SessionBuilder): void {
	delete session.header.version;
	for (const entry of session.entries as { id?: string; parentId?: unknown; [key: string]: unknown }[]) {
		delete entry.id;
		delete entry.parentId;
		if (entry.type !== "compaction") continue;
		delete entry.firstKeptEntryId;
		entry.firstKeptEntryIndex = r.pick<unknown>([r.int(0, session.entries.length + 1), 1.5, -1, "2", undefined]);
	}
}
