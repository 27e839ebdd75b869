import type {
	ContextEvent,
	ExtensionAPI,
	ExtensionContext,
	SessionShutdownEvent,
	ToolCallEvent,
	TurnEndEvent,
} from "@earendil-works/pi-coding-agent";
import type { Config, CoreSession, QueryAnswer, Report } from "../boundary.ts";
import type { PrunerControl } from "../commands/control.ts";
import { registerPruner } from "../commands/pruner.ts";
import { Core, type CoreFailure, type CoreSource } from "../core.ts";
import type { FlushEnd, FlushTrigger } from "../flush/flusher.ts";
import { FlushRoom } from "../flush/room.ts";
import type { Host, SessionView } from "../host.ts";
import { Settings } from "../settings/settings.ts";
import { WelcomeNote } from "../settings/welcome.ts";
import { rival } from "../tools/claim.ts";
import { registerQueryTool } from "../tools/context-tree-query.ts";
import { purgedReason } from "../tools/purge-guard.ts";
import type { EpochNode } from "../ui/epochs.ts";
import { type Pause, pauseOf } from "../ui/pause.ts";
import type { FlushWatch } from "../ui/progress.ts";
import { capture, spillLine } from "./capture.ts";
import { branchLookup } from "./lookup.ts";
import { OtherWriters } from "./other-writers.ts";
import { sync } from "./sync.ts";
import { turnKind } from "./turn.ts";
import { Voice } from "./voice.ts";
import { EntryWriter } from "./write.ts";

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
	readonly #host: Host;
	readonly #settings: Settings;
	readonly #welcome: WelcomeNote;
	readonly #core: Core;
	readonly #others = new OtherWriters();
	readonly #writer: EntryWriter;
	readonly #room: FlushRoom;
	readonly #voice = new Voice();
	#started = false;
	/** The schema of our tool, once it is registered. */
	#toolSchema: object | undefined;
	#standingDown = false;
	/** Whether the agent is in the middle of its work. */
	#working = false;

	constructor(pi: ExtensionAPI, host: Host, source: CoreSource) {
		this.#pi = pi;
		this.#host = host;
		const agentDir = host.piCodingAgent.getAgentDir();
		this.#settings = new Settings(agentDir, source.current());
		this.#welcome = new WelcomeNote(agentDir);
		this.#core = new Core(source, this.#settings.config, (failure) => this.#failed(failure));
		this.#writer = new EntryWriter(pi, this.#others);
		this.#room = new FlushRoom({
			pi,
			core: this.#core,
			writer: this.#writer,
			others: this.#others,
			voice: this.#voice,
			config: () => this.config(),
			view: () => this.#view(),
			changed: () => this.#showStatus(),
		});
	}

	/** `session_start`: settings, tool and command, the branch folded, the status shown. */
	start(ctx: ExtensionContext): void {
		this.#voice.ctx = ctx;
		this.#started = true;
		if (this.#standsDown(ctx)) return;
		for (const problem of this.#settings.load()) this.#voice.sayOnce(problem, "warning");
		this.#core.setConfig(this.config());
		this.#core.setFolder(ctx.cwd);
		this.#register();
		this.#others.begin(ctx.sessionManager);
		this.#room.sessionStarts();
		this.#fold(ctx, "rearm");
		if (this.config().enabled && !this.#settings.touched && this.#welcome.isFirst()) {
			this.#voice.say(
				"pi-decant is on: finished tool output is summarized and stays recoverable. /pruner off switches it off.",
			);
		}
		this.#showStatus();
	}

	/** `session_tree`: the branch is another one. */
	branchLeft(ctx: ExtensionContext): void {
		this.#room.schedule.branchLeft(ctx.sessionManager);
		if (!this.#isActive(ctx)) return;
		this.#fold(ctx, "rearm");
		this.#showStatus();
	}

	/** `session_compact`: what was folded away is not sent any more. */
	branchGrew(ctx: ExtensionContext): void {
		if (!this.#isActive(ctx)) return;
		this.#fold(ctx);
		this.#showStatus();
	}

	/** `before_agent_start`: a run begins, so what was put off is worth doing, and late rivals have shown up. */
	async runStarts(ctx: ExtensionContext): Promise<void> {
		if (this.#isActive(ctx) && !this.#standsDown(ctx)) await this.#room.schedule.runStarts(ctx);
		// Tools are chosen between runs: what paused us may be over.
		this.#showStatus();
	}

	/** `context_with_system` or `context`: the list to send, `undefined` where pi's own is right. */
	prepareRequest(messages: Messages, ctx: ExtensionContext): Messages | undefined {
		if (!this.#isActive(ctx)) return undefined;
		return this.#core.use("preparing a request", undefined, (session) => {
			sync(session, ctx.sessionManager);
			this.#mark(session, messages, ctx.sessionManager);
			return session.applyContext(messages) as Messages | undefined;
		});
	}

	/** `tool_call`: a call whose arguments are our own mark does not run. */
	guardCall(event: ToolCallEvent, ctx: ExtensionContext): { block: true; reason: string } | undefined {
		if (!this.#isActive(ctx) || !this.config().enabled) return undefined;
		const reason = purgedReason(event.input);
		return reason === undefined ? undefined : { block: true, reason };
	}

	/** `turn_end`: the turn's results become pending, a flush may be due. */
	async turnEnds(event: TurnEndEvent, ctx: ExtensionContext): Promise<void> {
		if (!this.#isActive(ctx) || !this.config().enabled) return;
		const captured = event.toolResultEntryIds.length > 0 ? this.#capture(event, ctx) : 0;
		const { finalReply, broken } = turnKind(event.message);
		this.#working = !finalReply && !broken;
		if (finalReply && this.config().pruneOn === "agent-message") await this.#room.schedule.replied(ctx);
		// After an error or an abort nothing of ours may go on with what the user stopped (report 76).
		else if (!broken) await this.#room.schedule.turnEnded(ctx, captured);
		this.#showStatus();
	}

	/** `session_shutdown`, which pi awaits: settles the flush in flight. */
	async shutdown(_event: SessionShutdownEvent, ctx: ExtensionContext): Promise<void> {
		const { flushWaitMs } = this.config();
		await this.#room.settle(ctx.mode === "tui" ? Math.min(TUI_WAIT_MS, flushWaitMs) : flushWaitMs);
		this.#core.close();
	}

	config(): Config {
		return this.#settings.config;
	}

	settings(): Settings {
		return this.#settings;
	}

	settingsPath(): string {
		return this.#settings.path;
	}

	change(changes: Record<string, unknown>, ctx: ExtensionContext): string | undefined {
		this.#voice.ctx = ctx;
		const problem = this.#settings.change(changes);
		this.#core.setConfig(this.config());
		if (!this.config().enabled) this.#room.abort();
		this.#showStatus();
		return problem;
	}

	report(ctx: ExtensionContext): Report | undefined {
		return this.#core.use("reporting", undefined, (session) => {
			sync(session, ctx.sessionManager);
			return session.report();
		});
	}

	tree(ctx: ExtensionContext): readonly EpochNode[] | undefined {
		return this.#core.use("listing the epochs", undefined, (session) => {
			sync(session, ctx.sessionManager);
			return session.tree();
		});
	}

	context(): ExtensionContext | undefined {
		return this.#voice.ctx;
	}

	async flush(ctx: ExtensionContext, trigger: FlushTrigger, watch?: FlushWatch): Promise<FlushEnd> {
		this.#voice.ctx = ctx;
		return this.#room.schedule.now(trigger, watch);
	}

	flushing(): boolean {
		return this.#room.busy;
	}

	paused(): Pause | undefined {
		if (!this.config().enabled) return undefined;
		const kind = this.#core.givenUp ? "broken" : this.#room.schedule.obstacle();
		return kind && pauseOf(kind);
	}

	lastFlush(): FlushEnd | undefined {
		return this.#room.lastEnd;
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
		this.#voice.ctx = ctx;
		return !this.#standingDown;
	}

	#standsDown(ctx: ExtensionContext): boolean {
		if (this.#standingDown) return true;
		const line = rival(this.#pi, this.#toolSchema);
		if (!line) return false;
		this.#standingDown = true;
		this.#room.abort();
		this.#voice.ctx = ctx;
		this.#voice.say(line, "warning");
		this.#voice.clearStatus();
		return true;
	}

	#register(): void {
		if (this.#toolSchema) return;
		this.#toolSchema = registerQueryTool(this.#pi, (ids, page) => this.query(ids, page));
		registerPruner(this.#pi, this, this.#host);
	}

	/** Brings the core to the branch. `rearm`: what waits there may be flushed though no turn of this run added to it. */
	#fold(ctx: ExtensionContext, rearm?: "rearm"): void {
		this.#core.use("reading the session", undefined, (session) => {
			sync(session, ctx.sessionManager);
			if (rearm) this.#room.budget.branchFolded(session.report().pendingBatches);
		});
	}

	/** Takes up a turn's results; how many wait for a flush. */
	#capture(event: TurnEndEvent, ctx: ExtensionContext): number {
		return this.#core.use("taking note of a turn", 0, (session) => {
			const { calls, trouble } = capture(session, event, ctx.sessionManager, this.#writer);
			if (trouble) this.#voice.sayOnce(spillLine(trouble), "warning");
			return calls;
		});
	}

	/** Where settings change what was sent, an entry says so before it goes out (law 2). */
	#mark(session: CoreSession, messages: Messages, view: SessionView): void {
		const draft = session.markEpoch(messages);
		if (draft && this.#writer.write(view, draft).ok) sync(session, view);
	}

	/** The session as pi has it now; `undefined` once it was replaced, when pi's contexts throw. */
	#view(): SessionView | undefined {
		try {
			return this.#voice.ctx?.sessionManager;
		} catch {
			return undefined;
		}
	}

	#failed(failure: CoreFailure): void {
		this.#voice.sayFailure(failure, this.#core.givenUp);
		if (this.#core.givenUp) this.#showStatus();
	}

	#showStatus(): void {
		if (this.#standingDown) return;
		const activity = () => ({ summarizing: this.#room.busy, capturing: this.#working, paused: this.paused()?.short });
		const isWanted = this.config().showPruneStatusLine;
		this.#voice.showStatus(isWanted, (ctx) => this.report(ctx), activity);
	}
}
