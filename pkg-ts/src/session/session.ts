import type {
	ContextEvent,
	ExtensionAPI,
	ExtensionContext,
	SessionShutdownEvent,
	TurnEndEvent,
} from "@earendil-works/pi-coding-agent";
import type { Config, QueryAnswer, Report } from "../boundary.ts";
import type { PrunerControl } from "../commands/control.ts";
import { registerPruner } from "../commands/pruner.ts";
import { Core, type CoreFailure, type CoreSource } from "../core.ts";
import { flushDesk } from "../flush/desk.ts";
import { type FlushEnd, Flusher } from "../flush/flusher.ts";
import { FlushSchedule } from "../flush/schedule.ts";
import type { Host, SessionView } from "../host.ts";
import { Settings } from "../settings/settings.ts";
import { WelcomeNote } from "../settings/welcome.ts";
import { Summarizer } from "../summarizer/summarizer.ts";
import { rival } from "../tools/claim.ts";
import { registerQueryTool } from "../tools/context-tree-query.ts";
import { say } from "../ui/say.ts";
import { STATUS_KEY, statusLine } from "../ui/status-line.ts";
import { branchLookup } from "./lookup.ts";
import { sync } from "./sync.ts";
import { turnKind } from "./turn.ts";

/** How long the TUI may take to close, in ms: a person is waiting. */
const TUI_WAIT_MS = 2_000;

type Messages = ContextEvent["messages"];

/**
 * pi-decant in one pi session: pi makes one for each `/new`, `/resume` and `/fork`, and all state is here.
 *
 * What pi's events mean; the rooms do the work.
 */
export class DecantSession implements PrunerControl {
	readonly #pi: ExtensionAPI;
	readonly #settings: Settings;
	readonly #welcome: WelcomeNote;
	readonly #core: Core;
	readonly #flusher: Flusher;
	readonly #schedule: FlushSchedule;
	readonly #summarizer: Summarizer;
	/** The newest context pi gave us; for work that outlives its event. */
	#ctx: ExtensionContext | undefined;
	#started = false;
	/** The schema of our tool, once it is registered. */
	#toolSchema: object | undefined;
	#standingDown = false;
	#statusShown = false;
	readonly #said = new Set<string>();

	constructor(pi: ExtensionAPI, host: Host, source: CoreSource) {
		this.#pi = pi;
		const agentDir = host.piCodingAgent.getAgentDir();
		this.#settings = new Settings(agentDir, source.current());
		this.#welcome = new WelcomeNote(agentDir);
		this.#core = new Core(source, this.#settings.config, (failure) => this.#failed(failure));
		this.#summarizer = new Summarizer(
			() => this.config(),
			(line) => say(this.#ctx, line, "warning"),
		);
		this.#flusher = new Flusher(
			flushDesk({
				pi,
				core: this.#core,
				view: () => this.#view(),
				config: () => this.config(),
				summarize: async (prompt, signal) => {
					if (!this.#ctx) return { message: "no session" };
					return this.#summarizer.summarize(prompt, this.#ctx, signal);
				},
			}),
		);
		this.#schedule = new FlushSchedule({
			pi,
			flusher: this.#flusher,
			config: () => this.config(),
			tell: (line) => this.#sayOnce(line.text, line.level),
			changed: () => this.#showStatus(),
		});
	}

	/** `session_start`: settings, tool and command, the branch folded, the status shown. */
	start(ctx: ExtensionContext): void {
		this.#ctx = ctx;
		this.#started = true;
		if (this.#standsDown(ctx)) return;
		for (const problem of this.#settings.load()) say(ctx, problem, "warning");
		this.#core.setConfig(this.config());
		this.#register();
		this.#fold(ctx);
		if (this.config().enabled && !this.#settings.touched && this.#welcome.isFirst()) {
			say(
				ctx,
				"pi-decant is on: finished tool output is summarized and stays recoverable. /pruner off switches it off.",
			);
		}
		this.#showStatus();
	}

	/** `session_tree`: the branch is another one. */
	branchLeft(ctx: ExtensionContext): void {
		this.#schedule.branchLeft();
		this.branchGrew(ctx);
	}

	/** `session_compact`: what was folded away is not sent any more. */
	branchGrew(ctx: ExtensionContext): void {
		if (!this.#isActive(ctx)) return;
		this.#fold(ctx);
		this.#showStatus();
	}

	/** `before_agent_start`: a run begins, so what was put off is worth doing, and late rivals have shown up. */
	async runStarts(ctx: ExtensionContext): Promise<void> {
		if (this.#isActive(ctx) && !this.#standsDown(ctx)) await this.#schedule.runStarts(ctx);
	}

	/** `context_with_system` or `context`: the list to send, `undefined` where pi's own is right. */
	context(messages: Messages, ctx: ExtensionContext): Messages | undefined {
		if (!this.#isActive(ctx)) return undefined;
		return this.#core.use("preparing a request", undefined, (session) => {
			sync(session, ctx.sessionManager);
			return session.applyContext(messages) as Messages | undefined;
		});
	}

	/** `turn_end`: the turn's results become pending; after a final reply a flush is due. */
	async turnEnds(event: TurnEndEvent, ctx: ExtensionContext): Promise<void> {
		if (!this.#isActive(ctx) || !this.config().enabled) return;
		if (event.toolResultEntryIds.length > 0) this.#capture(event, ctx);
		if (turnKind(event.message).finalReply) await this.#schedule.replied(ctx);
		this.#showStatus();
	}

	/** `session_shutdown`, which pi awaits: settles the flush in flight. */
	async shutdown(_event: SessionShutdownEvent, ctx: ExtensionContext): Promise<void> {
		const { flushWaitMs } = this.config();
		await this.#flusher.settle(ctx.mode === "tui" ? Math.min(TUI_WAIT_MS, flushWaitMs) : flushWaitMs);
		this.#core.close();
	}

	config(): Config {
		return this.#settings.config;
	}

	settingsPath(): string {
		return this.#settings.path;
	}

	change(changes: Record<string, unknown>, ctx: ExtensionContext): string | undefined {
		this.#ctx = ctx;
		const problem = this.#settings.change(changes);
		this.#core.setConfig(this.config());
		if (!this.config().enabled) this.#flusher.abort();
		this.#showStatus();
		return problem;
	}

	report(ctx: ExtensionContext): Report | undefined {
		return this.#core.use("reporting", undefined, (session) => {
			sync(session, ctx.sessionManager);
			return session.report();
		});
	}

	async flush(ctx: ExtensionContext): Promise<FlushEnd> {
		this.#ctx = ctx;
		return this.#schedule.now("on-demand");
	}

	flushing(): boolean {
		return this.#flusher.busy;
	}

	lastFailure(): CoreFailure | undefined {
		return this.#core.lastFailure;
	}

	/** Answers `context_tree_query`. */
	query(ids: string[], page: { offset?: number; limit?: number }): QueryAnswer | string {
		const view = this.#view();
		const answer = view
			? this.#core.use("answering context_tree_query", undefined, (session) => {
					sync(session, view);
					return session.query(ids, branchLookup(view), page);
				})
			: undefined;
		return answer ?? "pi-decant could not look this up; run the tool again instead.";
	}

	/** Takes note of the context, and starts up where pi asks for a request before `session_start`. */
	#isActive(ctx: ExtensionContext): boolean {
		if (!this.#started) this.start(ctx);
		this.#ctx = ctx;
		return !this.#standingDown;
	}

	#standsDown(ctx: ExtensionContext): boolean {
		if (this.#standingDown) return true;
		const line = rival(this.#pi, this.#toolSchema);
		if (!line) return false;
		this.#standingDown = true;
		this.#flusher.abort();
		say(ctx, line, "warning");
		// The key is the original's as well: only what we have shown is ours to clear.
		if (this.#statusShown) ctx.ui.setStatus(STATUS_KEY, undefined);
		return true;
	}

	#register(): void {
		if (this.#toolSchema) return;
		this.#toolSchema = registerQueryTool(this.#pi, (ids, page) => this.query(ids, page));
		registerPruner(this.#pi, this);
	}

	#fold(ctx: ExtensionContext): void {
		this.#core.use("reading the session", undefined, (session) => sync(session, ctx.sessionManager));
	}

	#capture(event: TurnEndEvent, ctx: ExtensionContext): void {
		const view = ctx.sessionManager;
		const turn = { assistantEntryId: event.messageEntryId, resultEntryIds: event.toolResultEntryIds };
		this.#core.use("taking note of a turn", undefined, (session) => {
			sync(session, view);
			session.captureTurn(turn);
		});
	}

	/** The session as pi has it now; `undefined` once it was replaced, when pi's contexts throw. */
	#view(): SessionView | undefined {
		try {
			return this.#ctx?.sessionManager;
		} catch {
			return undefined;
		}
	}

	#failed(failure: CoreFailure): void {
		if (this.#core.givenUp) {
			this.#sayOnce(
				"pi-decant: too many internal errors; it leaves this session alone. Details: /pruner status.",
				"error",
			);
		} else {
			this.#sayOnce(
				`pi-decant: internal error while ${failure.doing} (${failure.message}). pi goes on with the full context; details: /pruner status.`,
				"error",
			);
		}
	}

	/** The same trouble is told once a session. */
	#sayOnce(line: string, level: "info" | "warning" | "error"): void {
		if (this.#said.has(line)) return;
		this.#said.add(line);
		say(this.#ctx, line, level);
	}

	#showStatus(): void {
		try {
			const ctx = this.#ctx;
			if (!ctx?.hasUI || this.#standingDown) return;
			const report = this.config().showPruneStatusLine ? this.report(ctx) : undefined;
			const line = report && statusLine(report, { summarizing: this.#flusher.busy });
			ctx.ui.setStatus(STATUS_KEY, line);
			this.#statusShown = line !== undefined;
		} catch {
			// The session was replaced while a flush was in flight.
		}
	}
}
