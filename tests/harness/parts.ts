// Messages of a chat body and of pi, reduced to what can be pruned of them.

import { type ChatMessage, textOf } from "./server.ts";

export interface PartCall {
	id: string;
	name: string;
	/** As JSON. */
	args: string;
}

export interface Part {
	role: string;
	text: string;
	/** Everything of it that is sent. */
	raw: string;
	/** The call it answers. */
	callId?: string;
	toolName?: string;
	isError: boolean;
	calls: PartCall[];
	/** The reply failed or was aborted: pi sends nothing of it. */
	failed: boolean;
	/** Thinking blocks. */
	thinking: number;
	/** Everything of it but calls and thinking. */
	rest: string;
	/** Base64 of its images; a chat body has them in a message of their own. */
	images: string[];
	/** ms; a chat body has none. */
	time?: number;
}

export function chatPart(message: ChatMessage): Part {
	const { tool_calls, ...rest } = message;
	return {
		role: message.role === "tool" ? "toolResult" : message.role,
		text: textOf(message),
		raw: JSON.stringify(message),
		isError: false,
		calls: (tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({ id, name, args })),
		failed: false,
		thinking: 0,
		rest: JSON.stringify(rest),
		images: [],
		...(message.tool_call_id === undefined ? {} : { callId: message.tool_call_id }),
	};
}

export interface PiMessage {
	role: string;
	content?: unknown;
	toolCallId?: string;
	toolName?: string;
	isError?: boolean;
	stopReason?: string;
	timestamp?: number;
}

interface PiBlock {
	type: string;
	text?: string;
	id?: string;
	name?: string;
	arguments?: unknown;
	data?: string;
	textSignature?: string;
}

/**
 * A pi message without what no provider is sent. pi sizes the output limit by the newest `usage` that no earlier message
 * is younger than, so pi-decant makes the first message younger than the last rewrite.
 */
export function wire(message: object): object {
	return { ...message, usage: undefined, timestamp: undefined };
}

export function piPart(message: PiMessage): Part {
	const blocks = Array.isArray(message.content) ? (message.content as PiBlock[]) : [];
	const of = (type: string) => blocks.filter((block) => block.type === type);
	const kept = blocks.filter(({ type }) => type !== "toolCall" && type !== "thinking");
	// A text's signature binds it to the thinking before it and goes with that.
	const unsigned = kept.map((block) => ({ ...block, textSignature: undefined }));
	return {
		role: message.role,
		text:
			typeof message.content === "string"
				? message.content
				: of("text")
						.map(({ text }) => text ?? "")
						.join("\n"),
		raw: JSON.stringify(wire(message)),
		isError: message.isError === true,
		calls: of("toolCall").map(({ id = "", name = "", arguments: args }) => ({
			id,
			name,
			args: JSON.stringify(args),
		})),
		failed: message.stopReason === "error" || message.stopReason === "aborted",
		thinking: of("thinking").length,
		rest: JSON.stringify(Array.isArray(message.content) ? { ...wire(message), content: unsigned } : wire(message)),
		images: of("image").map(({ data }) => data ?? ""),
		...(message.toolCallId === undefined ? {} : { callId: message.toolCallId }),
		...(message.toolName === undefined ? {} : { toolName: message.toolName }),
		...(message.timestamp === undefined ? {} : { time: message.timestamp }),
	};
}
