// Thinking as three providers leave it in a session: text with a signature, items with ids, signatures on other blocks.

import { type Random, textOfKind } from "./random.ts";
import type { Block } from "./sessions.ts";

/** Who speaks in a session: what pi writes into each reply. */
export interface Speaker {
	api: string;
	provider: string;
	model: string;
}

/** One reply's worth of it. */
export interface Thought {
	/** Blocks before the text and the calls. */
	lead: Block[];
	/** What the reply's text carries. */
	text: { textSignature?: string };
	/** What the reply's first call carries. */
	call: { thoughtSignature?: string };
	/** What follows `|` in the ids of the reply's calls. */
	item(): string | undefined;
}

const none: Thought = { lead: [], text: {}, call: {}, item: () => undefined };

/** What a reply of this speaker comes with; nothing for one whose provider has no thinking. */
export function thoughtOf(r: Random, api: string): Thought {
	if (r.chance(0.3)) return none;
	const words = textOfKind(r, "prose", r.int(40, 600));
	const bytes = () => Buffer.from(`${r.next()}`.repeat(r.int(2, 12))).toString("base64");
	if (api === "anthropic-messages") {
		const block: Block = { type: "thinking", thinking: words, thinkingSignature: bytes() };
		return { ...none, lead: r.chance(0.1) ? [{ ...block, thinking: "", redacted: true }] : [block] };
	}
	if (api === "openai-responses") {
		const id = () => r.int(1e9, 9e9).toString(36);
		const item = { type: "reasoning", id: `rs_${id()}`, summary: [], encrypted_content: bytes() };
		return {
			lead: [{ type: "thinking", thinking: r.chance(0.5) ? words : "", thinkingSignature: JSON.stringify(item) }],
			text: { textSignature: JSON.stringify({ v: 1, id: `msg_${id()}` }) },
			call: {},
			item: () => `fc_${id()}`,
		};
	}
	if (api === "google-generative-ai")
		return {
			...none,
			lead: [{ type: "thinking", thinking: words }],
			text: r.chance(0.5) ? { textSignature: bytes() } : {},
			call: { thoughtSignature: bytes() },
		};
	return { ...none, lead: [{ type: "thinking", thinking: words, thinkingSignature: "reasoning_content" }] };
}
