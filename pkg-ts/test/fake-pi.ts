import type {
	ContextEvent,
	ExtensionAPI,
	ExtensionCommandContext,
	ExtensionContext,
	TurnEndEvent,
} from "@earendil-works/pi-coding-agent";
import type { Host } from "../src/host.ts";
import { DecantSession } from "../src/session/session.ts";
import { FakeSource, FakeTree } from "./fakes.ts";
import { scratch } from "./scratch.ts";

type Model = { provider: string; id: string; api: string };

/** A model's answer: the text, or what went wrong. */
export type Answer = (prompt: string, signal: AbortSignal) => Promise<Record<string, unknown>>;

/** pi around one session of ours, as far as it is used. */
export class FakePi {
	readonly tree = new FakeTree();
	readonly source = new FakeSource();
	readonly agentDir = scratch();
	readonly said: string[] = [];
	readonly prompts: string[] = [];
	readonly tools = new Map<string, Record<string, unknown>>();
	readonly commands = new Map<string, Record<string, unknown>>();
	/** What was sent to other extensions. */
	readonly emitted: { channel: string; data: unknown }[] = [];
	status: string | undefined;
	/** Thrown by `appendEntry`. */
	disk: Error | undefined;
	mode = "tui";
	/** The session was replaced: whatever is asked of pi throws. */
	stale = false;
	answer: Answer = async (prompt) => reply(`summary of ${prompt}`);
	readonly session: DecantSession;

	constructor() {
		const piCodingAgent = { VERSION: "1.6.0", getAgentDir: () => this.agentDir };
		const host = { piCodingAgent, piTui: {}, entryUrl: "file:///x" } as unknown as Host;
		this.session = new DecantSession(this.api, host, this.source);
	}

	get api(): ExtensionAPI {
		return {
			getAllTools: () => [...this.tools.values()],
			events: { emit: (channel: string, data: unknown) => this.emitted.push({ channel, data }), on: () => () => {} },
			getActiveTools: () => [...this.tools.keys()],
			getCommands: () => [...this.commands.values()],
			registerTool: (tool: { name: string; parameters: unknown }) => {
				this.tools.set(tool.name, { ...tool, sourceInfo: { path: "/us", source: "local" } });
			},
			registerEntryRenderer: () => {},
			registerCommand: (name: string, options: object) => {
				this.commands.set(name, {
					...options,
					name,
					source: "extension",
					sourceInfo: { path: "/us", source: "local" },
				});
			},
			appendEntry: (customType: string, data: unknown) => {
				if (this.disk) throw this.disk;
				this.tree.add({ type: "custom", customType, data });
			},
		} as unknown as ExtensionAPI;
	}

	get ctx(): ExtensionContext {
		const model: Model = { provider: "fake", id: "one", api: "faux" };
		const hasUI = this.mode === "tui" || this.mode === "rpc";
		const ctx = {
			mode: this.mode,
			hasUI,
			model,
			cwd: "/work",
			sessionManager: this.tree,
			getContextUsage: () => undefined,
			modelRegistry: {
				find: () => undefined,
				streamSimple: (
					_model: Model,
					context: { messages: { content: { text: string }[] }[] },
					options: { signal: AbortSignal },
				) => {
					const prompt = context.messages[0]?.content[0]?.text ?? "";
					this.prompts.push(prompt);
					return streamOf(this.answer(prompt, options.signal));
				},
			},
			ui: {
				notify: (line: string) => this.said.push(line),
				setStatus: (_key: string, text: string | undefined) => {
					this.status = text;
				},
				setWidget: () => {},
				onTerminalInput: () => () => {},
			},
		};
		const get = (target: object, key: PropertyKey): unknown => {
			if (this.stale) throw new Error("This extension ctx is stale");
			return Reflect.get(target, key);
		};
		return new Proxy(ctx, { get }) as unknown as ExtensionContext;
	}

	/** Lets every answer wait until the function it gives is called. */
	hold(): () => void {
		const { opened, open } = gate();
		this.answer = async () => opened.then(() => reply("summary"));
		return open;
	}

	/** Runs `/pruner <args>`; what was said meanwhile. */
	async pruner(args: string): Promise<string[]> {
		const before = this.said.length;
		const command = this.commands.get("pruner") as {
			handler: (args: string, ctx: ExtensionCommandContext) => Promise<void>;
		};
		await command.handler(args, this.ctx as ExtensionCommandContext);
		return this.said.slice(before);
	}

	/** A turn with one tool call whose result has this text. */
	async toolTurn(text = "x".repeat(2000)): Promise<void> {
		const messageEntryId = this.tree.add({ type: "message", message: { role: "assistant", content: [] } });
		const toolResultEntryIds = [this.tree.result(text)];
		await this.session.turnEnds(
			turnEnd({ content: [{ type: "toolCall" }], stopReason: "toolUse" }, messageEntryId, toolResultEntryIds),
			this.ctx,
		);
	}

	/** The final, text-only turn. */
	async replyTurn(stopReason = "stop"): Promise<void> {
		const id = this.tree.add({ type: "message", message: { role: "assistant", content: [] } });
		await this.session.turnEnds(turnEnd({ content: [{ type: "text" }], stopReason }, id, []), this.ctx);
	}

	/** Our entries on the branch. */
	get epochs(): unknown[] {
		return this.tree
			.getBranch()
			.filter((entry) => entry.type === "custom" && entry.customType === "context-prune-epoch");
	}
}

export const quit = { type: "session_shutdown", reason: "quit" } as const;
export const messages = [{ role: "user", content: "hi" }] as unknown as ContextEvent["messages"];

/** pi with our session begun; what is said at the start is past. */
export function begun(): FakePi {
	const pi = new FakePi();
	pi.session.start(pi.ctx);
	pi.said.length = 0;
	return pi;
}

function turnEnd(message: object, messageEntryId: string, toolResultEntryIds: string[]): TurnEndEvent {
	return { message: { role: "assistant", ...message }, messageEntryId, toolResultEntryIds } as unknown as TurnEndEvent;
}

/** An assistant message with this text. */
export function reply(text: string, more: object = {}): Record<string, unknown> {
	const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, cost: { total: 0.01 } };
	return { role: "assistant", stopReason: "stop", content: [{ type: "text", text }], usage, ...more };
}

function streamOf(message: Promise<Record<string, unknown>>) {
	return {
		async *[Symbol.asyncIterator]() {
			yield { type: "start" };
			await message;
		},
		result: () => message,
	};
}

/** A promise and its resolver. */
export function gate<T = void>(): { opened: Promise<T>; open: (value: T) => void } {
	let open: (value: T) => void = () => {};
	const opened = new Promise<T>((resolve) => {
		open = resolve;
	});
	return { opened, open };
}

/** Lets everything that is ready run. */
export async function settled(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
	await new Promise((resolve) => setImmediate(resolve));
}
