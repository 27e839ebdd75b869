// Judges what was sent to a model. Returns problems in words; an empty list means a provider would take it.

import assert from "node:assert/strict";
import type { ChatBody, ChatMessage, ModelRequest } from "./server.ts";

/** A message reduced to what pairing is about. */
export type Turn =
	| { kind: "assistant"; calls: string[] }
	| { kind: "result"; id: string }
	/** Any other role: a barrier between a call and its result. */
	| { kind: "other"; role: string };

export interface PairingOptions {
	/** Calls without a result are pi's to fill in ("No result provided"), so a list taken before that may have them. */
	allowUnanswered?: boolean;
}

/** Every result answers a call of the assistant right before its run of results, every call is answered exactly once. */
export function pairingProblems(turns: readonly Turn[], options: PairingOptions = {}): string[] {
	const problems: string[] = [];
	let open: string[] = [];
	let answered: string[] = [];
	const close = (at: number) => {
		if (!options.allowUnanswered)
			for (const id of open) problems.push(`message ${at}: call ${JSON.stringify(id)} before it has no result`);
		open = [];
		answered = [];
	};
	for (const [at, turn] of turns.entries()) {
		if (turn.kind !== "result") {
			close(at);
			if (turn.kind === "assistant") open = [...turn.calls];
			continue;
		}
		// An id may stand twice in one assistant message; then it wants two results.
		const place = open.indexOf(turn.id);
		if (place >= 0) answered.push(...open.splice(place, 1));
		else if (answered.includes(turn.id)) problems.push(`message ${at}: second result for ${JSON.stringify(turn.id)}`);
		else problems.push(`message ${at}: result ${JSON.stringify(turn.id)} answers no call right before it`);
	}
	close(turns.length);
	return problems;
}

function chatTurn(message: ChatMessage): Turn {
	if (message.role === "assistant")
		return { kind: "assistant", calls: (message.tool_calls ?? []).map((call) => call.id) };
	if (message.role === "tool") return { kind: "result", id: message.tool_call_id ?? "" };
	return { kind: "other", role: message.role };
}

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

function stringProblems(value: unknown, where: string): string[] {
	if (typeof value === "string") return loneSurrogate.test(value) ? [`${where}: half a surrogate pair`] : [];
	if (Array.isArray(value)) return value.flatMap((item, at) => stringProblems(item, `${where}[${at}]`));
	if (value === null || typeof value !== "object") return [];
	return Object.entries(value).flatMap(([key, item]) => stringProblems(item, `${where}.${key}`));
}

function shapeProblems(message: ChatMessage, at: number): string[] {
	const problems: string[] = [];
	const where = `message ${at} (${message.role})`;
	if (!["system", "user", "assistant", "tool"].includes(message.role)) problems.push(`${where}: unknown role`);
	if (message.role === "tool" && typeof message.tool_call_id !== "string") problems.push(`${where}: no tool_call_id`);
	const content = message.content;
	const empty = content === null || content === undefined || content.length === 0;
	if (message.role === "assistant" && empty && (message.tool_calls ?? []).length === 0)
		problems.push(`${where}: neither content nor calls`);
	if (message.role === "user" && empty) problems.push(`${where}: empty`);
	for (const call of message.tool_calls ?? []) {
		try {
			JSON.parse(call.function.arguments);
		} catch {
			problems.push(`${where}: arguments of ${call.function.name} are not JSON`);
		}
	}
	return problems;
}

/** Problems of an OpenAI chat-completions body. */
export function chatProblems(body: ChatBody): string[] {
	const { messages } = body;
	const problems = pairingProblems(messages.map(chatTurn));
	problems.push(...messages.flatMap((message, at) => shapeProblems(message, at)));
	problems.push(...stringProblems(messages, "messages"));
	if (messages.length === 0) problems.push("no messages");
	return problems;
}

/** A pi message as far as pairing needs it. */
interface PiMessage {
	role: string;
	content?: unknown;
	toolCallId?: string;
}

/** Problems of a list of pi messages, as the in-process provider receives it. */
export function piProblems(messages: readonly PiMessage[], options: PairingOptions = {}): string[] {
	const turns = messages.map((message): Turn => {
		if (message.role === "toolResult") return { kind: "result", id: message.toolCallId ?? "" };
		if (message.role !== "assistant") return { kind: "other", role: message.role };
		const blocks = Array.isArray(message.content) ? (message.content as { type: string; id?: string }[]) : [];
		return { kind: "assistant", calls: blocks.flatMap((block) => (block.type === "toolCall" ? [block.id ?? ""] : [])) };
	});
	return [...pairingProblems(turns, options), ...stringProblems(messages, "messages")];
}

export function assertValid(request: ModelRequest): void {
	assert.deepEqual(chatProblems(request.body), [], `request ${request.index} would be refused`);
}

/** How many messages at the start of both lists are the same, byte for byte. */
export function sharedMessages(a: readonly unknown[], b: readonly unknown[]): number {
	let at = 0;
	while (at < a.length && at < b.length && JSON.stringify(a[at]) === JSON.stringify(b[at])) at++;
	return at;
}

/** The later request begins with all messages of the earlier one (law 2). */
export function assertPrefix(earlier: readonly unknown[], later: readonly unknown[], what: string): void {
	const shared = sharedMessages(earlier, later);
	if (shared === earlier.length) return;
	assert.deepEqual(later[shared], earlier[shared], `${what}: message ${shared} of ${earlier.length} changed`);
}
