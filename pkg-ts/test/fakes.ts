import { dirname } from "node:path";
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type {
	BudgetCheck,
	Captured,
	Config,
	CoreModule,
	CoreSession,
	Entry,
	EpochEntry,
	FlushOutcome,
	FlushPlan,
	QueryAnswer,
	Report,
	ReportedUsage,
	SpilledFile,
	Summary,
} from "../src/boundary.ts";
import type { CoreSource } from "../src/core.ts";
import type { SessionView } from "../src/host.ts";

/** A session tree in memory, as pi's session manager shows it. */
export class FakeTree implements SessionView {
	readonly entries = new Map<string, SessionEntry>();
	leaf: string | null = null;
	file: string | undefined = "/sessions/one.jsonl";

	/** Appends an entry at the leaf; returns its id. */
	add(entry: Record<string, unknown> = { type: "custom", customType: "x" }): string {
		const id = `e${this.entries.size + 1}`;
		this.entries.set(id, { id, parentId: this.leaf, timestamp: "", ...entry } as unknown as SessionEntry);
		this.leaf = id;
		return id;
	}

	/** A tool result with this text. */
	result(text: string): string {
		return this.add({ type: "message", message: { role: "toolResult", content: [{ type: "text", text }] } });
	}

	getLeafId(): string | null {
		return this.leaf;
	}

	getEntry(id: string): SessionEntry | undefined {
		return this.entries.get(id);
	}

	getBranch(): SessionEntry[] {
		const branch: SessionEntry[] = [];
		for (let id = this.leaf; id !== null; ) {
			const entry = this.entries.get(id);
			if (!entry) break;
			branch.push(entry);
			id = entry.parentId;
		}
		return branch.reverse();
	}

	getSessionFile(): string | undefined {
		return this.file;
	}

	getSessionDir(): string {
		return this.file === undefined ? "" : dirname(this.file);
	}

	getSessionId(): string {
		return "session-id";
	}
}

export const CONFIG: Config = {
	enabled: true,
	showPruneStatusLine: true,
	summarizerModel: "default",
	summarizerThinking: "default",
	pruneOn: "agent-message",
	flush: "background",
	flushWaitMs: 30_000,
	summarizerIdleTimeoutMs: 20_000,
	summarizerMaxTimeoutMs: 180_000,
	minBatchChars: 1_000,
	quietOversizedSkips: false,
	autoBudgetThreshold: null,
	budgetTurnDelta: null,
	budgetCeilingTokens: 300_000,
	summarizerConcurrency: 4,
	summarizerMaxCharsPerResult: 2_000,
	batchingMode: "turn",
	dedupByContentHash: true,
	recoveryGraceTurns: 3,
	protectedTools: [],
	protectedPaths: ["**/skills/**/*.md"],
	spillThreshold: 65_536,
	spillPreviewBytes: 2_048,
	chainCompression: {
		enabled: true,
		rollingWindow: 3,
		keepOpenTurns: 3,
		stripFinalAssistantThinking: true,
		fuseRangeSummary: true,
		maxShare: 0.5,
	},
	purgeErrors: { enabled: true, cooldownTurns: 2, minArgChars: 500, timing: "epoch" },
	thinkingStrip: { enabled: true, keepLastTurns: 16, policy: "provider", boundary: "epoch" },
};

/** Of a session in which nothing was done yet. */
export const REPORT: Report = {
	enabled: true,
	refs: 0,
	epochs: 0,
	pendingBatches: 0,
	pendingCalls: 0,
	pendingUnits: 0,
	stats: { totalInputTokens: 0, totalOutputTokens: 0, totalCost: 0, callCount: 0 },
	sizes: { before: 368_000, after: 56_000 },
	shownStubs: 0,
	droppedResults: 0,
	shownBlocks: 0,
	unresolvedBlocks: 0,
	metrics: { openThinkingTokens: 0, largestChainPercent: 0, gapTokens: 0 },
	contextTokens: 14_000,
	protectedUnmatched: [],
};

/** A core that remembers what it was told. One pending batch for each captured turn. */
export class FakeCore implements CoreSession {
	folded: Entry[] = [];
	loads = 0;
	pending: string[] = [];
	freed = false;
	/** An epoch takes what its plan held; what was captured since stays pending. */
	#planned = 0;
	/** Every captured result is to be spilled. */
	spillAll = false;
	/** Verdict of the budget triggers, and what they were asked about. */
	budget: Pick<BudgetCheck, "due"> = {};
	readonly asked: ReportedUsage[] = [];
	readonly triggers: string[] = [];
	readonly committed: (Summary | null)[][] = [];
	/** Why the next request changes what was sent. */
	changed: string | undefined;
	/** Thrown by the next call of this method. */
	trouble: { method: string; error: Error } | undefined;
	#plans = 0;

	get leafId(): string | undefined {
		return (this.folded.at(-1) as { id: string } | undefined)?.id;
	}

	free(): void {
		this.freed = true;
	}

	setConfig(): void {}

	loadBranch(entries: readonly Entry[]): void {
		this.#mayThrow("loadBranch");
		this.loads += 1;
		this.folded = [...entries];
	}

	appendEntries(entries: readonly Entry[]): void {
		this.folded.push(...entries);
		if (entries.some((entry) => "data" in entry && "texts" in (entry.data as object)))
			this.pending = this.pending.slice(this.#planned);
	}

	applyContext(messages: readonly object[]): object[] | undefined {
		this.#mayThrow("applyContext");
		return [...messages, { role: "user", content: "from the core" }];
	}

	captureTurn(turn: { assistantEntryId: string; resultEntryIds: string[] }): Captured {
		this.#mayThrow("captureTurn");
		this.pending.push(...turn.resultEntryIds);
		const spill = this.spillAll ? turn.resultEntryIds.map((entryId) => ({ entryId, fileName: `${entryId}.txt` })) : [];
		return { calls: 1, ...this.pendingNow(), spill };
	}

	commitSpill(files: SpilledFile[]): EpochEntry | undefined {
		this.#mayThrow("commitSpill");
		return { customType: "context-prune-epoch", data: { reason: "spill", files } };
	}

	checkBudget(usage: ReportedUsage): BudgetCheck {
		this.asked.push(usage);
		return { tokens: usage.tokens ?? 1_000, source: usage.tokens ? "reported" : "estimated", ...this.budget };
	}

	markEpoch(): EpochEntry | undefined {
		const reason = this.changed;
		this.changed = undefined;
		return reason === undefined ? undefined : { customType: "context-prune-epoch", data: { reason } };
	}

	tree() {
		return [];
	}

	pendingNow() {
		return { pendingBatches: this.pending.length, pendingCalls: this.pending.length, pendingUnits: 0 };
	}

	planFlush(trigger: string): FlushPlan | undefined {
		this.triggers.push(trigger);
		if (this.pending.length === 0) return undefined;
		this.#plans += 1;
		this.#planned = this.pending.length;
		const batches = this.pending.map((entryId, turn) => ({
			prompt: `summarize ${entryId}`,
			turn,
			calls: [{ entryId, toolName: "read", ref: `t${turn + 1}` }],
			rawUnits: 100,
		}));
		return { id: this.#plans, leafId: this.leafId ?? "", batches, skipped: [], fusions: [] };
	}

	commitFlush(_planId: number, summaries: (Summary | null)[]): FlushOutcome {
		this.#mayThrow("commitFlush");
		this.committed.push(summaries);
		const texts = summaries.flatMap((summary) => (summary?.text ? [summary.text] : []));
		const numbers = { summarized: texts.length, calls: texts.length, savedUnits: 80, notes: [], blocks: [] };
		if (texts.length === 0) return { ...numbers, reason: "failed" };
		return { ...numbers, entry: { customType: "context-prune-epoch", data: { texts } } };
	}

	dropFlush(): void {}

	query(ids: string[]): QueryAnswer {
		return { content: [{ type: "text", text: ids.join() }], details: { results: [] }, isError: false };
	}

	report(): Report {
		return { ...REPORT, ...this.pendingNow() };
	}

	#mayThrow(method: string): void {
		const trouble = this.trouble;
		if (trouble?.method !== method) return;
		this.trouble = undefined;
		throw trouble.error;
	}
}

/** A source of fake cores; `made` and `renewed` tell what was asked of it. */
export class FakeSource implements CoreSource {
	readonly made: FakeCore[] = [];
	renewed = 0;
	/** Every core made from now on has this trouble. */
	trouble: FakeCore["trouble"];
	/** Verdict of the budget triggers of every core made from now on. */
	budget: FakeCore["budget"] = {};
	readonly #module: CoreModule;

	constructor() {
		const source = this;
		this.#module = {
			settingsSchema: () => [],
			readSettings: (raw) => ({ config: { ...CONFIG, ...(raw as object) }, problems: [] }),
			Session: class extends FakeCore {
				constructor() {
					super();
					this.trouble = source.trouble;
					this.budget = source.budget;
					source.made.push(this);
				}
			},
		};
	}

	current(): CoreModule {
		return this.#module;
	}

	async renew(): Promise<CoreModule> {
		this.renewed += 1;
		return this.#module;
	}

	/** The core in use. */
	get core(): FakeCore {
		const core = this.made.at(-1);
		if (!core) throw new Error("no core was made");
		return core;
	}
}
