// Working folders and scripts the end-to-end tests and the demo share.

import { random, type TextKind, textOfKind } from "./random.ts";
import type { Step } from "./server.ts";

/** A file of about `units` characters that differs from every other seed's. */
export function file(seed: number, kind: TextKind, units: number): string {
	return `${textOfKind(random(seed), kind, units)}\n`;
}

export const projectFiles: Record<string, string> = {
	"src/parser.ts": file(1, "code", 9_000),
	"src/render.ts": file(2, "code", 7_000),
	"logs/run.log": file(3, "log", 12_000),
	"notes.md": file(4, "prose", 3_000),
};

export const answers = {
	first: "The parser fails on an empty line; the log shows it three times.",
	second: "Nothing else depends on it.",
	third: "Yes, that is all.",
};

/** First prompt: one call, then two at once, then a reply. Two batches, three results. */
export const investigate: Step[] = [
	{ text: "I start with the parser.", calls: [{ name: "read", args: { path: "src/parser.ts" } }] },
	{
		calls: [
			{ name: "read", args: { path: "src/render.ts" } },
			{ name: "bash", args: { command: "cat logs/run.log" } },
		],
	},
	{ text: answers.first },
];

/** Asks for one original back, then replies. */
export function recover(ref: string, fields: Record<string, unknown> = {}): Step[] {
	return [
		{ calls: [{ name: "context_tree_query", args: { toolCallIds: [ref], ...fields } }] },
		{ text: answers.second },
	];
}

export const blocking = { contextPrune: { flush: "blocking" } };

/** The same with more of our settings, where pi is not to compact by itself. */
export const pruning = (contextPrune: Record<string, unknown> = {}) => ({
	contextPrune: { flush: "blocking", ...contextPrune },
	compaction: { enabled: false },
});
