import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Config } from "../boundary.ts";
import { TOOL_NAME } from "../tools/context-tree-query.ts";
import { backgroundLine, type FlushLine } from "../ui/flush-line.ts";
import type { FlushEnd, Flusher, FlushTrigger } from "./flusher.ts";

/** What the schedule works with. */
export interface ScheduleParts {
	pi: Pick<ExtensionAPI, "getActiveTools">;
	flusher: Flusher;
	config: () => Config;
	/** A line about a flush nobody asked for. */
	tell: (line: FlushLine) => void;
	/** Called whenever a flush makes progress or ends. */
	changed: () => void;
}

/** When a flush starts, and who waits for it. */
export class FlushSchedule {
	readonly #parts: ScheduleParts;
	/** A flush that is due once it is known that the session goes on. */
	#deferred = false;
	/** A reply came while a flush was under way; what it closed is flushed next. */
	#again = false;

	constructor(parts: ScheduleParts) {
		this.#parts = parts;
	}

	/** The agent has answered. */
	async replied(ctx: ExtensionContext): Promise<void> {
		if (this.#parts.config().pruneOn !== "agent-message") return;
		if (!ctx.hasUI && ctx.sessionManager.getSessionFile() === undefined) {
			// `pi -p --no-session`: this may be the last reply, and a summary nobody will read is money for nothing.
			this.#deferred = true;
			return;
		}
		await this.#due(ctx);
	}

	/** A run begins: the session went on. */
	async runStarts(ctx: ExtensionContext): Promise<void> {
		if (!this.#deferred) return;
		this.#deferred = false;
		await this.#due(ctx);
	}

	/** The reply a flush was due after is not on the branch any more. */
	branchLeft(): void {
		this.#deferred = false;
	}

	/** Flushes at once, whatever the settings say about when. */
	async now(trigger: FlushTrigger, signal?: AbortSignal): Promise<FlushEnd> {
		const { pi, flusher, changed } = this.#parts;
		if (!pi.getActiveTools().includes(TOOL_NAME)) return { kind: "held" };
		const end = await flusher.start(trigger, signal ? { signal, progress: changed } : { progress: changed });
		changed();
		return end;
	}

	/** Waits only where the user wants that. */
	async #due(ctx: ExtensionContext): Promise<void> {
		const blocking = this.#parts.config().flush === "blocking";
		const done = this.#flushAndTell("agent-message", blocking ? ctx.signal : undefined);
		if (blocking) await done;
	}

	/** Never rejects: a session that was replaced meanwhile makes pi throw, and nobody is left to be told. */
	async #flushAndTell(trigger: FlushTrigger, signal?: AbortSignal): Promise<void> {
		try {
			let end = await this.now(trigger, signal);
			if (end.kind === "busy") {
				this.#again = true;
				return;
			}
			for (;;) {
				const line = backgroundLine(end);
				if (line) this.#parts.tell(line);
				if (!this.#again || end.kind !== "committed") break;
				this.#again = false;
				end = await this.now(trigger, signal);
			}
			this.#again = false;
		} catch {
			// Nothing was written; the originals stand in the session.
		}
	}
}
