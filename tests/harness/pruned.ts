// What pi-decant did to a list, judged from outside: by the texts of the specification, never by its own code.

import assert from "node:assert/strict";
import { type ChatBody, type ChatMessage, textOf } from "./server.ts";
import { sharedMessages } from "./validator.ts";

/** condense.md section 6, to the letter. */
export function stubText(ref: string): string {
	return `[Summarized in pruner summary, ref \`${ref}\`. Use context_tree_query to retrieve full output.]`;
}

/** All a result can become. */
const stubPatterns = {
	summarized:
		/^\[Summarized in pruner summary, ref `(?<ref>t\d+)`\. Use context_tree_query to retrieve full output\.\]/,
	/** Named by its own tool and path (B6), with the ref of the one it repeats. */
	same: /^\[[^\n]*: same output as `(?<original>t\d+)`, summarized there\. This call is ref `(?<ref>t\d+)`\. Use context_tree_query to retrieve full output\.\]/,
	spilled:
		/^\[Oversized output spilled to file — \d+ bytes\.\]\nTool: [^\n]+\nPreview \(head\):\n[\s\S]*\nFull output — read this file \(offset\/limit supported\): [^\n]+\nOr use context_tree_query with ref `(?<ref>t\d+)`\./,
};

type StubKind = keyof typeof stubPatterns;

export interface Stub {
	kind: StubKind;
	ref: string;
	/** The ref it repeats. */
	original?: string;
	text: string;
}

/** What stub a text begins with, if any. */
export function stubOf(text: string): Stub | undefined {
	for (const [kind, pattern] of Object.entries(stubPatterns)) {
		const found = pattern.exec(text);
		if (!found?.groups) continue;
		const { ref, original } = found.groups;
		return { kind: kind as StubKind, ref: ref ?? "", text: found[0], ...(original ? { original } : {}) };
	}
	return undefined;
}

/** condense.md section 5: what every summary ends with. */
export function footerText(refs: readonly string[]): string {
	const list = refs.map((ref) => `\`${ref}\``).join(", ");
	return `\n\n---\n**Summarized tool refs**: ${list}\nUse \`context_tree_query\` with these refs to retrieve the original full outputs.`;
}

export function refOfStub(text: string): string | undefined {
	return stubOf(text)?.ref;
}

export function isSummary(text: string): boolean {
	return text.includes("**Summarized tool refs**:");
}

interface Part {
	role: string;
	text: string;
	raw: string;
	callId?: string;
	/** Ids this message calls. */
	calls: string[];
	/** Base64 of its images; a chat body has them in a message of their own. */
	images: string[];
}

/** Places of results that answer no call right before them: no provider takes them, so they may go (law 3). */
function orphans(parts: readonly Part[]): Set<number> {
	const found = new Set<number>();
	let open: string[] = [];
	for (const [at, part] of parts.entries()) {
		if (part.callId === undefined) {
			open = [...part.calls];
			continue;
		}
		const place = open.indexOf(part.callId);
		if (place >= 0) open.splice(place, 1);
		else found.add(at);
	}
	return found;
}

export interface Difference {
	/** Results that became stubs: the call, its ref, the text that stood there. */
	stubbed: { at: number; callId: string; stub: Stub; ref: string; original: string; images: string[] }[];
	/** Summaries: standing as messages of their own, or in the stub of the last result. */
	summaries: { at: number; text: string }[];
	/** Results that answered no call and were left out, by their place in the whole list. */
	swept: number[];
}

/**
 * Explains `pruned` as `whole` with results turned into stubs and summaries put in. Anything else that differs fails the
 * test: what stayed must have stayed byte for byte.
 */
function explain(whole: readonly Part[], pruned: readonly Part[], what: string): Difference {
	const difference: Difference = { stubbed: [], summaries: [], swept: [] };
	const sweepable = orphans(whole);
	let at = 0;
	for (const [place, part] of pruned.entries()) {
		while (sweepable.has(at) && part.raw !== whole[at]?.raw) difference.swept.push(at++);
		const before = whole[at];
		if (before && part.raw === before.raw) {
			at++;
			continue;
		}
		const stub = stubOf(part.text);
		if (before && stub && before.callId !== undefined && part.callId === before.callId) {
			const { callId, text: original, images } = before;
			difference.stubbed.push({ at: place, callId, stub, ref: stub.ref, original, images });
			const rest = part.text.slice(stub.text.length);
			if (isSummary(rest)) difference.summaries.push({ at: place, text: rest.replace(/^\n+/, "") });
			else assert.equal(rest, "", `${what}: message ${place}: a stub with more in it`);
			at++;
			continue;
		}
		if (part.role === "user" && isSummary(part.text)) {
			difference.summaries.push({ at: place, text: part.text });
			continue;
		}
		assert.fail(
			`${what}: message ${place} is neither as it was, nor a stub, nor a summary:\n${part.raw.slice(0, 400)}\nthere stood:\n${before?.raw.slice(0, 400)}`,
		);
	}
	while (sweepable.has(at)) difference.swept.push(at++);
	assert.equal(at, whole.length, `${what}: ${whole.length - at} messages vanished`);
	return difference;
}

const chatPart = (message: ChatMessage): Part => ({
	role: message.role,
	text: textOf(message),
	raw: JSON.stringify(message),
	calls: (message.tool_calls ?? []).map(({ id }) => id),
	images: [],
	...(message.tool_call_id === undefined ? {} : { callId: message.tool_call_id }),
});

/** `whole`: the messages a run without pi-decant sends at the same point. */
export function explainChat(whole: readonly ChatMessage[], pruned: readonly ChatMessage[], what: string): Difference {
	return explain(whole.map(chatPart), pruned.map(chatPart), what);
}

interface PiMessage {
	role: string;
	content?: unknown;
	toolCallId?: string;
}

/**
 * A pi message without what no provider is sent. pi sizes the output limit by the newest `usage` that no earlier message
 * is younger than, so pi-decant makes the first message younger than the last rewrite.
 */
export function wire(message: object): object {
	return { ...message, usage: undefined, timestamp: undefined };
}

const piPart = (message: PiMessage): Part => {
	const blocks = Array.isArray(message.content)
		? (message.content as { type: string; text?: string; id?: string; data?: string }[])
		: [];
	return {
		role: message.role,
		text:
			typeof message.content === "string"
				? message.content
				: blocks.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : [])).join("\n"),
		raw: JSON.stringify(wire(message)),
		images: blocks.flatMap((block) => (block.type === "image" ? [block.data ?? ""] : [])),
		calls: blocks.flatMap((block) => (block.type === "toolCall" ? [block.id ?? ""] : [])),
		...(message.toolCallId === undefined ? {} : { callId: message.toolCallId }),
	};
};

export function explainPi(whole: readonly PiMessage[], pruned: readonly PiMessage[], what: string): Difference {
	return explain(whole.map(piPart), pruned.map(piPart), what);
}

/** The one tool result of a body that answers a call of this name, and its text. */
export function resultsOf(body: ChatBody, toolName: string): string[] {
	const names = new Map<string, string>();
	const texts: string[] = [];
	for (const message of body.messages) {
		for (const call of message.tool_calls ?? []) names.set(call.id, call.function.name);
		if (message.role === "tool" && names.get(message.tool_call_id ?? "") === toolName) texts.push(textOf(message));
	}
	return texts;
}

/** Body of a `context_tree_query` block: what follows the empty line after its head. */
export function recoveredBody(text: string): string {
	const gap = text.indexOf("\n\n");
	assert.ok(text.startsWith("## toolRef: ") && gap > 0, `not a query answer: ${text.slice(0, 200)}`);
	return text.slice(gap + 2);
}

/** Requests in order; where one does not begin with all messages of the one before, its index. */
export function rewrites(bodies: readonly ChatBody[]): number[] {
	const at: number[] = [];
	for (let k = 1; k < bodies.length; k++) {
		const [earlier, later] = [bodies[k - 1]?.messages ?? [], bodies[k]?.messages ?? []];
		if (sharedMessages(earlier, later) < earlier.length) at.push(k);
	}
	return at;
}
