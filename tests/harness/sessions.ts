// Builds session files as pi writes them: entries with ids, parents and a clock that only this builder moves.

export interface Entry {
	type: string;
	id: string;
	parentId: string | null;
	timestamp: string;
	[key: string]: unknown;
}

export type Block =
	| { type: "text"; text: string; textSignature?: string }
	| { type: "thinking"; thinking: string; thinkingSignature?: string; redacted?: boolean }
	| { type: "image"; data: string; mimeType: string }
	| { type: "toolCall"; id: string; name: string; arguments: Record<string, unknown>; thoughtSignature?: string };

export interface CallSpec {
	name: string;
	args?: Record<string, unknown>;
	/** Default: fresh in this session. */
	id?: string;
	/** The result: text, or blocks. `undefined`: never answered. */
	result?: string | Block[] | undefined;
	isError?: boolean;
	thoughtSignature?: string;
}

const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** A 1x1 PNG. */
export const tinyPng =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

export class SessionBuilder {
	readonly header: Record<string, unknown>;
	readonly entries: Entry[] = [];
	leafId: string | null = null;
	#clock: number;
	#entryCount = 0;
	#callCount = 0;

	constructor(options: { cwd?: string; parentSession?: string; start?: number } = {}) {
		this.#clock = options.start ?? Date.UTC(2026, 0, 5, 9);
		this.header = {
			type: "session",
			version: 3,
			id: "01990000-0000-7000-8000-00000000abcd",
			timestamp: new Date(this.#clock).toISOString(),
			cwd: options.cwd ?? "/work",
			...(options.parentSession ? { parentSession: options.parentSession } : {}),
		};
	}

	/** Milliseconds since the epoch; each call is a little later than the one before. */
	tick(ms = 1_000): number {
		this.#clock += ms;
		return this.#clock;
	}

	/** Any entry, as given, at the leaf. Returns its id. */
	append(type: string, fields: Record<string, unknown>): string {
		const id = (0x10000000 + ++this.#entryCount).toString(16);
		this.entries.push({ type, id, parentId: this.leafId, timestamp: new Date(this.tick()).toISOString(), ...fields });
		this.leafId = id;
		return id;
	}

	message(message: Record<string, unknown>): string {
		return this.append("message", { message: { timestamp: this.#clock + 500, ...message } });
	}

	user(content: string | Block[]): string {
		return this.message({
			role: "user",
			content: typeof content === "string" ? [{ type: "text", text: content }] : content,
		});
	}

	assistant(content: string | Block[], fields: Record<string, unknown> = {}): string {
		const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
		return this.message({
			role: "assistant",
			content: blocks,
			api: "faux",
			provider: "faux",
			model: "faux-1",
			usage: { input: 100, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: 120, cost: noUsage },
			stopReason: blocks.some((block) => block.type === "toolCall") ? "toolUse" : "stop",
			...fields,
		});
	}

	result(toolCallId: string, toolName: string, content: string | Block[], isError = false): string {
		const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
		return this.message({ role: "toolResult", toolCallId, toolName, content: blocks, isError });
	}

	/** One assistant message with its calls, and their results. Returns the entry ids. */
	toolTurn(
		calls: CallSpec[],
		lead: Block[] = [],
		options: { fields?: Record<string, unknown>; between?: () => void } = {},
	): { assistant: string; results: string[] } {
		const withIds = calls.map((call) => ({ ...call, id: call.id ?? `call_${++this.#callCount}` }));
		const block = ({ id, name, args = {}, thoughtSignature }: (typeof withIds)[number]): Block => ({
			type: "toolCall",
			id,
			name,
			arguments: args,
			...(thoughtSignature ? { thoughtSignature } : {}),
		});
		const assistant = this.assistant([...lead, ...withIds.map(block)], options.fields);
		const results = withIds.flatMap((call) => {
			options.between?.();
			return call.result === undefined ? [] : [this.result(call.id, call.name, call.result, call.isError)];
		});
		return { assistant, results };
	}

	compaction(firstKeptEntryId: string, summary = "Work so far."): string {
		return this.append("compaction", { summary, firstKeptEntryId, tokensBefore: 1_000 });
	}

	/** pi's own edit of one message: omitted (`null`) or its content replaced. */
	contextEdit(targetId: string, content: string | Block[] | null): string {
		return this.append("context_edit", { targetId, replacement: content === null ? null : { content } });
	}

	custom(customType: string, data: unknown): string {
		return this.append("custom", { customType, data });
	}

	customMessage(customType: string, content: string | Block[]): string {
		return this.append("custom_message", { customType, content, display: true });
	}

	/** What follows hangs below `entryId`, as after `/tree`. */
	branch(entryId: string): void {
		this.leafId = entryId;
	}

	/** Header and entries, the lines of the file. */
	lines(): Record<string, unknown>[] {
		return [this.header, ...this.entries];
	}

	jsonl(): string {
		return this.lines()
			.map((line) => `${JSON.stringify(line)}\n`)
			.join("");
	}
}
