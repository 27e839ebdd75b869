import type { TurnEndEvent } from "@earendil-works/pi-coding-agent";

/** What a finished turn means for the flush. */
export interface TurnKind {
	/** The agent has answered: no tool was called, and the reply is whole. */
	finalReply: boolean;
	/** The turn ended in an error or was aborted. */
	broken: boolean;
}

/** Classifies a finished turn by its assistant message. */
export function turnKind(message: TurnEndEvent["message"]): TurnKind {
	if (message.role !== "assistant") return { finalReply: false, broken: false };
	const broken = message.stopReason === "error" || message.stopReason === "aborted";
	const calls = message.content.some((block) => block.type === "toolCall");
	return { finalReply: !broken && !calls, broken };
}
