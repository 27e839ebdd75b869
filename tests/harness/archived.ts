// A session with everything that pi-condense archives, and after it everything that we do.

import { type Entry, SessionBuilder } from "./sessions.ts";

const text = (n: number) => `line ${n} of what the tool said\n`.repeat(60);

/** The occurrence of a result, as pi-condense names it. */
function named({ message }: Entry): { toolCallId: string; resultTimestamp: number } {
	const { toolCallId, timestamp } = message as { toolCallId: string; timestamp: number };
	return { toolCallId, resultTimestamp: timestamp };
}

function timeOf(entry: Entry | undefined): number {
	return (entry as unknown as { message: { timestamp: number } }).message.timestamp;
}

/** `resultText` is what the index keeps of it; a spilled one keeps a file. */
function indexed(key: object, file?: string): object {
	const call = { ...key, toolName: "read", args: {}, isError: false, turnIndex: 0, timestamp: 5 };
	return file
		? { ...call, resultText: "", spillPath: file, spillBytes: 600, resultPreview: "line" }
		: { ...call, resultText: "archived text" };
}

/** The session, and every ref that was given in it. */
export function archivedSession(): { session: SessionBuilder; entries: Entry[]; refs: string[] } {
	const session = new SessionBuilder();
	const call = (n: number, fields = {}) => ({
		name: "read",
		args: { path: `src/${n}.ts` },
		result: text(n),
		...fields,
	});
	const turn = (n: number, fields = {}) => {
		const { assistant, results } = session.toolTurn([call(n, fields)]);
		return { assistant, result: session.entries.find(({ id }) => id === results[0]) as Entry };
	};
	session.user("Before.");
	const old = [1, 2, 3, 4].map((n) => turn(n).result);
	const [first, second, third, fourth] = old.map(named);
	session.assistant("Done.");
	const summary = (shortId: string, key: object) =>
		session.append("custom_message", {
			...{ customType: "context-prune-summary", content: "- it was read", display: false },
			details: { toolCallRefs: [{ shortId, ...key }], toolNames: ["read"], turnIndex: 0 },
		});
	summary("t1", first as object);
	session.custom("context-prune-index", { toolCalls: [indexed(first as object)] });
	// The index may come first, and a file never gets a ref.
	session.custom("context-prune-index", { toolCalls: [indexed(second as object)] });
	summary("t2", second as object);
	session.custom("context-prune-index", { toolCalls: [indexed(third as object, "/blobs/3.txt")] });
	session.custom("context-prune-dedup-alias", {
		newToolCallId: fourth?.toolCallId,
		newResultTimestamp: fourth?.resultTimestamp,
		originalToolCallId: first?.toolCallId,
		originalResultTimestamp: first?.resultTimestamp,
	});
	// Of a call that is not on the branch: the index alone has its text.
	summary("t3", { toolCallId: "call_gone", resultTimestamp: 1 });
	session.custom("context-prune-index", { toolCalls: [indexed({ toolCallId: "call_gone", resultTimestamp: 1 })] });
	session.custom("context-prune-chain", {
		...{ blockId: "b1", toolRefs: ["t1", "t2"], protectedToolCallIds: [], rangeSummaryText: "- all was read" },
		startUserTimestamp: timeOf(session.entries[0]),
		finalAssistantTimestamp: timeOf(session.entries.findLast(({ message }) => message)),
	});

	const start = session.user("And now.");
	const ours = [5, 6, 7, 8].map((n) => turn(n));
	const failed = turn(9, { isError: true });
	const end = session.assistant("Done again.");
	const result = (at: number, fields: object) => ({ entry: ours[at]?.result.id, tool: "read", ...fields });
	session.custom("context-prune-epoch", {
		...{ v: 1, reason: "flush", trigger: "now", predicted: { removedUnits: 9_000, addedUnits: 100 } },
		batches: [
			{
				turn: 6,
				outcome: "summarized",
				text: "- read",
				placement: "message",
				rawUnits: 1,
				results: [result(0, { ref: "t4" })],
			},
			{ turn: 7, outcome: "skipped-deduped", rawUnits: 1, results: [result(1, { ref: "t5", same: "t4" })] },
			{
				...{ turn: 8, outcome: "spilled", rawUnits: 1 },
				results: [result(2, { ref: "t6", spill: { path: "/blobs/6.txt", bytes: 5, preview: "" } })],
			},
		],
		blocks: [
			{
				id: "b2",
				start,
				end,
				body: "- more was read",
				refs: ["t4", "t5", "t6", "t7"],
				results: [result(3, { ref: "t7" })],
			},
		],
		purged: [
			{
				result: { entry: failed.result.id, tool: "read", ref: "t8" },
				assistant: failed.assistant,
				call: 0,
				units: 900,
			},
		],
	});
	return { session, entries: session.entries, refs: ["t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "b1", "b2"] };
}
