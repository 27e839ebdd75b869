// A session lived through entry by entry on the core alone: what pi would send at any point, and what goes out instead.

import type * as Ai from "@earendil-works/pi-ai";
import type * as Pi from "@earendil-works/pi-coding-agent";
import type * as Core from "../../pkg-ts/wasm/decant.js";
import { coreGlue } from "./core.ts";
import { pi } from "./sdk.ts";
import type { Entry } from "./sessions.ts";

export interface Exchange {
	/** As pi alone would hand it to the provider's conversion. */
	whole: Ai.Message[];
	ours: Ai.Message[];
}

export interface WalkModel {
	api: string;
	id: string;
	contextWindow: number;
}

type Summarizer = (prompt: string) => string | null;

export class Walk {
	readonly entries: Pi.SessionEntry[] = [];
	readonly session: Core.Session;
	readonly #byId = new Map<string, Pi.SessionEntry>();
	#leaf: string | null = null;
	#written = 0;

	private constructor(session: Core.Session) {
		this.session = session;
	}

	/** An empty session. */
	static async begin(settings: Record<string, unknown> = {}): Promise<Walk> {
		const { Session } = await coreGlue();
		const walk = new Walk(new Session(settings, "/work"));
		walk.session.loadBranch([]);
		return walk;
	}

	/** The same branch, folded anew as after a reload. */
	async reloaded(settings: Record<string, unknown> = {}): Promise<Walk> {
		const again = await Walk.begin(settings);
		again.session.loadBranch(this.entries);
		for (const entry of this.entries) again.#note(entry);
		return again;
	}

	end(): void {
		this.session.free();
	}

	/** Puts an entry at the end, whatever its parent was. */
	add(entry: Entry | Pi.SessionEntry): void {
		const moved = { ...entry, parentId: this.#leaf } as Pi.SessionEntry;
		this.#note(moved);
		this.session.appendEntries([moved]);
	}

	#note(entry: Pi.SessionEntry): void {
		this.entries.push(entry);
		this.#byId.set(entry.id, entry);
		this.#leaf = entry.id;
	}

	/** The request at this point; where nothing is to be answered, with a prompt that no entry has yet. */
	exchange(): Exchange {
		const { messages } = pi.buildSessionProjection(this.entries, this.#leaf, this.#byId);
		const last = pi.convertToLlm(messages).at(-1)?.role;
		if (last !== "user" && last !== "toolResult")
			messages.push({ role: "user", content: [{ type: "text", text: "Go on." }], timestamp: Date.UTC(2040, 0) });
		const ours = this.session.applyContext(structuredClone(messages)) ?? messages;
		return {
			whole: pi.convertToLlm(structuredClone(messages)),
			ours: pi.convertToLlm(structuredClone(ours) as typeof messages),
		};
	}

	/** An entry as the branch shows it. */
	readonly lookup = (id: string): object | undefined => {
		const entry = this.#byId.get(id);
		const edit = this.entries.findLast((each) => each.type === "context_edit" && each.targetId === id);
		if (edit?.type !== "context_edit" || entry?.type !== "message") return entry;
		if (edit.replacement === null) return undefined;
		const { content } = edit.replacement;
		const text = typeof content === "string" ? [{ type: "text", text: content }] : content;
		return { ...entry, message: { ...entry.message, content: text } };
	};

	/** Flushes what is due, as the extension would; what the epoch says, or nothing where there was nothing to write. */
	flush(trigger: string, model?: WalkModel, summarize: Summarizer = labelled): Core.FlushOutcome | undefined {
		const plan = this.session.planFlush(trigger, this.lookup, model);
		if (!plan) return undefined;
		const answer = ({ prompt }: { prompt: string }) => {
			const text = summarize(prompt);
			return text === null ? null : { text };
		};
		const outcome = this.session.commitFlush(plan.id, plan.batches.map(answer), plan.fusions.map(answer));
		if (!outcome.entry) return undefined;
		const timestamp = this.entries.at(-1)?.timestamp ?? new Date(0).toISOString();
		this.add({ type: "custom", id: `f${++this.#written}`, parentId: null, timestamp, ...outcome.entry });
		return outcome;
	}
}

/** A line a call, under its label; for a fusion one short text. */
export function labelled(prompt: string): string {
	const batch = prompt.slice(prompt.lastIndexOf("<tool-call-batch>"));
	const labels = [...batch.matchAll(/^\[\[(\d+:[^\]\n]+)\]\] Tool:/gm)].map((match) => match[1]);
	return labels.map((label) => `- [[${label}]] looked at; nothing unusual.`).join("\n") || "- All of it is done.";
}
