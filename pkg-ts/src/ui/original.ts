import type { Lookup } from "../boundary.ts";
import type { SessionView } from "../host.ts";
import { count } from "./format.ts";

/** A tool call and what it gave, as the session has it. */
export interface Original {
	tool: string;
	/** Absent where the call is not on the branch any more. */
	args?: unknown;
	/** Its text blocks; an image is named. */
	text: string;
}

/** UTF-16 units of an original that are shown; the file of a session may hold megabytes in one result. */
const SHOWN_UNITS = 8_000;

/** Looks an original up; `undefined` where it is gone. */
export function originalOf(view: Pick<SessionView, "getEntry">, lookup: Lookup, entryId: string): Original | undefined {
	const entry = lookup(entryId);
	const message = entry && messageOf(entry);
	if (message?.role !== "toolResult") return undefined;
	const args = argsOf(view, entryId, message.toolCallId);
	return {
		tool: String(message.toolName),
		...(args === undefined ? {} : { args }),
		text: textOf(message.content),
	};
}

/** An original as Markdown: what was asked, and the head of what came. */
export function originalMarkdown({ args, text }: Original): string {
	const cut = text.length > SHOWN_UNITS ? headOf(text, SHOWN_UNITS) : text;
	const size = `${count(text.length, "character")}${cut === text ? "" : `, the first ${cut.length.toLocaleString("en-US")}`}`;
	const asked = args === undefined ? [] : ["**Arguments**", fenced(JSON.stringify(args, null, 2), "json")];
	return [...asked, `**Output** (${size})`, fenced(cut, "")].join("\n\n");
}

type Message = Record<string, unknown> & { role: unknown };

function messageOf(entry: object): Message | undefined {
	const message = "message" in entry ? entry.message : undefined;
	return typeof message === "object" && message !== null && "role" in message ? (message as Message) : undefined;
}

/** The arguments of a result's call: the nearest assistant message above it that made it. */
function argsOf(view: Pick<SessionView, "getEntry">, entryId: string, callId: unknown): unknown {
	for (let id = view.getEntry(entryId)?.parentId; id; ) {
		const entry = view.getEntry(id);
		const message = entry && messageOf(entry);
		if (message?.role === "assistant") {
			const blocks = Array.isArray(message.content) ? message.content : [];
			const call = blocks.find((block) => block?.type === "toolCall" && block.id === callId);
			if (call) return call.arguments;
		}
		id = entry?.parentId;
	}
	return undefined;
}

function textOf(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content.map((block) => (block?.type === "text" ? String(block.text) : `[${block?.type}]`)).join("\n");
}

/** Never half a surrogate pair. */
function headOf(text: string, units: number): string {
	const last = text.charCodeAt(units - 1);
	return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units);
}

/** A code block whose fence is longer than any run of backticks in it. */
function fenced(text: string, language: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
	const fence = "`".repeat(longest + 1);
	return `${fence}${language}\n${text}\n${fence}`;
}
