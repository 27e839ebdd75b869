import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Config } from "../boundary.ts";
import type { Core } from "../core.ts";
import type { SessionView } from "../host.ts";
import type { OtherWriters } from "../session/other-writers.ts";
import { sync } from "../session/sync.ts";
import type { Voice } from "../session/voice.ts";
import type { EntryWriter } from "../session/write.ts";
import { Summarizer } from "../summarizer/summarizer.ts";
import { Bill, COST_CHANNEL } from "./bill.ts";
import { BudgetGate } from "./budget.ts";
import { flushDesk } from "./desk.ts";
import { type FlushEnd, Flusher } from "./flusher.ts";
import { FlushSchedule } from "./schedule.ts";

/** What the room is built from. */
export interface RoomParts {
	pi: Pick<ExtensionAPI, "appendEntry" | "events" | "getActiveTools">;
	core: Core;
	writer: EntryWriter;
	others: OtherWriters;
	voice: Voice;
	config: () => Config;
	/** The session as pi has it now; `undefined` once it was replaced. */
	view: () => SessionView | undefined;
	/** Called when a flush begins or has ended. */
	changed: () => void;
}

/** Everything between a finished turn and a committed summary, put together for one session. */
export class FlushRoom {
	readonly #parts: RoomParts;
	readonly #bill = new Bill();
	readonly #summarizer: Summarizer;
	readonly #flusher: Flusher;
	readonly budget: BudgetGate;
	readonly schedule: FlushSchedule;
	#lastEnd: FlushEnd | undefined;

	constructor(parts: RoomParts) {
		this.#parts = parts;
		const { pi, core, writer, others, voice, config, view } = parts;
		this.#summarizer = new Summarizer({ config, tell: (line, level) => voice.say(line, level) });
		this.#flusher = new Flusher(
			flushDesk({
				core,
				writer,
				bill: this.#bill,
				view,
				config,
				model: () => voice.ctx?.model,
				summarize: async (prompt, signal, onText) =>
					voice.ctx
						? this.#summarizer.summarize(prompt, voice.ctx, signal, onText)
						: { message: "there is no session to summarize with" },
			}),
		);
		this.budget = new BudgetGate({
			config,
			check: (usage) => core.use("checking the budget", undefined, (session) => session.checkBudget(usage)),
		});
		this.schedule = new FlushSchedule({
			pi,
			flusher: this.#flusher,
			budget: this.budget,
			config,
			pending: () =>
				core.use("counting what waits", 0, (session) => {
					const now = view();
					if (now) sync(session, now);
					return session.report().pendingBatches;
				}),
			shared: () => {
				const now = view();
				return now !== undefined && others.seen(now);
			},
			tell: (line) => voice.sayOnce(line.text, line.level),
			announce: (line) => voice.say(line),
			changed: (end) => this.#changed(end),
		});
	}

	/** Whether a flush is under way. */
	get busy(): boolean {
		return this.#flusher.busy;
	}

	/** How the newest flush ended. */
	get lastEnd(): FlushEnd | undefined {
		return this.#lastEnd;
	}

	/** `session_start`: outages are forgotten, costs count from here. */
	sessionStarts(): void {
		this.#summarizer.reset();
		this.#bill.reset();
	}

	/** Ends the flush in flight; its results stay in context. */
	abort(): void {
		this.#flusher.abort();
	}

	/** Waits up to `waitMs` for the flush in flight, commits what of it is there, and starts none any more. */
	settle(waitMs: number): Promise<void> {
		return this.#flusher.settle(waitMs);
	}

	#changed(end: FlushEnd | undefined): void {
		if (end && end.kind !== "busy") this.#lastEnd = end;
		const news = end && this.#bill.news();
		try {
			if (news) this.#parts.pi.events.emit(COST_CHANNEL, news);
		} catch {
			// The session was replaced, and its bus with it.
		}
		this.#parts.changed();
	}
}
