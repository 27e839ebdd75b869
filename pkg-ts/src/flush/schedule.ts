import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Config } from "../boundary.ts";
import type { SessionView } from "../host.ts";
import { isOnBranch } from "../session/sync.ts";
import { TOOL_NAME } from "../tools/context-tree-query.ts";
import { backgroundLine, type FlushLine } from "../ui/flush-line.ts";
import type { FlushWatch } from "../ui/progress.ts";
import type { BudgetGate } from "./budget.ts";
import type { FlushEnd, Flusher, FlushTrigger } from "./flusher.ts";

/** What the schedule works with. */
export interface ScheduleParts {
	pi: Pick<ExtensionAPI, "getActiveTools">;
	flusher: Flusher;
	budget: BudgetGate;
	config: () => Config;
	/** Batches that wait on the branch. */
	pending: () => number;
	/** Whether another process writes to the session file. */
	shared: () => boolean;
	/** A line about a flush nobody asked for; the same trouble is told once. */
	tell: (line: FlushLine) => void;
	/** A line that is shown each time. */
	announce: (line: string) => void;
	/** Called whenever a flush begins, has ended or cannot begin. */
	changed: (end?: FlushEnd) => void;
}

/** When a flush starts, and who waits for it. */
export class FlushSchedule {
	readonly #parts: ScheduleParts;
	/** A flush that is due once it is known that the session goes on. */
	#deferred = false;
	/** A flush became due while one was under way: what waits then is flushed next. */
	#again: FlushTrigger | undefined;

	constructor(parts: ScheduleParts) {
		this.#parts = parts;
	}

	/** The agent has answered. */
	async replied(ctx: ExtensionContext): Promise<void> {
		if (!ctx.hasUI && ctx.sessionManager.getSessionFile() === undefined) {
			// `pi -p --no-session`: this may be the last reply, and a summary nobody will read is money for nothing.
			this.#deferred = true;
			return;
		}
		await this.#due(ctx, "agent-message");
	}

	/** A turn has ended that closes nothing; it added this many results to what waits. */
	async turnEnded(ctx: ExtensionContext, captured: number): Promise<void> {
		const call = this.#parts.budget.turnEnded(ctx, { captured, pendingBatches: this.#parts.pending });
		if (!call) return;
		if (!this.#parts.flusher.busy && !this.obstacle()) this.#parts.announce(call.notice);
		await this.#due(ctx, call.trigger);
	}

	/** A run begins: the session went on. */
	async runStarts(ctx: ExtensionContext): Promise<void> {
		if (!this.#deferred) return;
		this.#deferred = false;
		await this.#due(ctx, "agent-message");
	}

	/** The branch is another one: what was due on the old one is not any more, what is in flight for it ends now. */
	branchLeft(view: SessionView): void {
		this.#deferred = false;
		this.#again = undefined;
		const { flusher } = this.#parts;
		if (flusher.plan && !isOnBranch(flusher.plan.leafId, view)) flusher.abort("moved");
	}

	/** Flushes at once, whatever the settings say about when. */
	async now(trigger: FlushTrigger, watch: FlushWatch = {}): Promise<FlushEnd> {
		const { flusher, budget, changed } = this.#parts;
		const obstacle = this.obstacle();
		if (obstacle) {
			// Who asks is told of the obstacle, and the status line must not say otherwise.
			changed();
			return { kind: obstacle };
		}
		const running = flusher.start(trigger, watch);
		changed();
		const end = await running;
		budget.flushEnded(end);
		changed(end);
		this.#goOn(end);
		return end;
	}

	/** What became due while a flush ran, whoever had started that one, is flushed next. */
	#goOn(end: FlushEnd): void {
		const next = this.#again;
		if (!next || end.kind === "busy") return;
		this.#again = undefined;
		if (end.kind === "committed") void this.#flushAndTell(next);
	}

	/** What keeps every flush from starting, for as long as it lasts. */
	obstacle(): "held" | "shared" | undefined {
		if (!this.#parts.pi.getActiveTools().includes(TOOL_NAME)) return "held";
		return this.#parts.shared() ? "shared" : undefined;
	}

	/** Waits only where the user wants that. */
	async #due(ctx: ExtensionContext, trigger: FlushTrigger): Promise<void> {
		const blocking = this.#parts.config().flush === "blocking";
		const done = this.#flushAndTell(trigger, blocking ? ctx.signal : undefined);
		if (blocking) await done;
	}

	/** Never rejects: a session that was replaced meanwhile makes pi throw, and nobody is left to be told. */
	async #flushAndTell(trigger: FlushTrigger, signal?: AbortSignal): Promise<void> {
		const watch = signal ? { signal } : {};
		try {
			const end = await this.now(trigger, watch);
			if (end.kind === "busy") {
				this.#again = trigger;
				return;
			}
			const line = backgroundLine(end, this.#parts.config().quietOversizedSkips);
			if (line) this.#parts.tell(line);
		} catch {
			// Nothing was written; the originals stand in the session.
		}
	}
}
