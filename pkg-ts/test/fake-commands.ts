import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import * as piTui from "@earendil-works/pi-tui";
import type { QueryAnswer, Report } from "../src/boundary.ts";
import type { PrunerControl } from "../src/commands/control.ts";
import { registerPruner } from "../src/commands/pruner.ts";
import type { FlushEnd } from "../src/flush/flusher.ts";
import type { Host } from "../src/host.ts";
import { Settings } from "../src/settings/settings.ts";
import type { EpochNode } from "../src/ui/epochs.ts";
import { type PauseKind, pauseOf } from "../src/ui/pause.ts";
import type { FlushWatch } from "../src/ui/progress.ts";
import { FakeTree, REPORT } from "./fakes.ts";
import { realCore } from "./real-core.ts";
import { scratch } from "./scratch.ts";

/** Of a session that has been pruned. */
const PRUNED: Report = {
	...REPORT,
	refs: 7,
	epochs: 2,
	stats: { totalInputTokens: 40_000, totalOutputTokens: 2_100, totalCost: 0.0123, callCount: 4 },
	shownStubs: 7,
};

export interface FakeModel {
	provider: string;
	id: string;
	cost?: { input: number; output: number; cacheRead: number; cacheWrite: number };
	contextWindow?: number;
}

/** `/pruner` over a session that is made up, with settings in a folder of its own and the core's own rules for them. */
export class FakeCommands {
	readonly agentDir = scratch();
	readonly tree = new FakeTree();
	readonly said: { line: string; level: string }[] = [];
	readonly widgets: (string[] | undefined)[] = [];
	readonly settings: Settings;
	mode: ExtensionCommandContext["mode"] = "rpc";
	report: Report | undefined = { ...PRUNED };
	epochs: EpochNode[] | undefined = [];
	flushing = false;
	paused: PauseKind | undefined;
	/** What the query tool answers. */
	answer: QueryAnswer | string = "not found";
	/** What each flush that was asked for gave as its reason. */
	readonly triggers: string[] = [];
	lastFlush: FlushEnd | undefined;
	model: FakeModel | undefined = { provider: "fake", id: "one" };
	models: FakeModel[] = [{ provider: "fake", id: "one" }];
	/** Providers with credentials. */
	authorized = ["fake"];
	flush: (watch: FlushWatch) => Promise<FlushEnd> = async () => ({ kind: "nothing" });
	#command: { handler: (args: string, ctx: ExtensionCommandContext) => Promise<void> } | undefined;
	#complete: ((prefix: string) => unknown) | undefined;

	constructor(settings?: object) {
		if (settings) writeFileSync(this.path, JSON.stringify(settings, null, 2));
		this.settings = new Settings(this.agentDir, realCore());
		this.settings.load();
		const pi = {
			registerEntryRenderer: () => {},
			getAllTools: () => [{ name: "read" }, { name: "bash" }],
			registerCommand: (_name: string, command: never) => {
				this.#command = command;
				this.#complete = (command as { getArgumentCompletions: (prefix: string) => unknown }).getArgumentCompletions;
			},
		};
		registerPruner(pi as never, this.control, { piTui, piCodingAgent: {} } as unknown as Host);
	}

	get path(): string {
		return join(this.agentDir, "settings.json");
	}

	/** What stands under `contextPrune` in the file. */
	get saved(): unknown {
		return JSON.parse(readFileSync(this.path, "utf8")).contextPrune;
	}

	/** Runs `/pruner <args>`; returns what was said, joined. */
	async run(args: string): Promise<string> {
		const before = this.said.length;
		await this.#command?.handler(args, this.ctx);
		return this.said
			.slice(before)
			.map(({ line }) => line)
			.join("\n");
	}

	/** The arguments that completion offers. */
	complete(prefix: string): string[] | null {
		const items = this.#complete?.(prefix) as { value: string }[] | null;
		return items?.map(({ value }) => value) ?? null;
	}

	get control(): PrunerControl {
		return {
			config: () => this.settings.config,
			settingsPath: () => this.settings.path,
			settings: () => this.settings,
			change: (changes) => this.settings.change(changes),
			report: () => this.report,
			tree: () => this.epochs,
			flush: (_ctx, trigger, watch = {}) => {
				this.triggers.push(trigger);
				return this.flush(watch);
			},
			flushing: () => this.flushing,
			paused: () => this.paused && pauseOf(this.paused),
			query: () => this.answer,
			lastFailure: () => undefined,
			lastFlush: () => this.lastFlush,
			context: () => this.ctx,
		};
	}

	get ctx(): ExtensionCommandContext {
		return {
			mode: this.mode,
			hasUI: this.mode === "rpc" || this.mode === "tui",
			model: this.model,
			sessionManager: this.tree,
			modelRegistry: {
				find: (provider: string, id: string) =>
					this.models.find((each) => each.provider === provider && each.id === id),
				getAvailable: () => this.models.filter(({ provider }) => this.authorized.includes(provider)),
				hasConfiguredAuth: ({ provider }: FakeModel) => this.authorized.includes(provider),
			},
			ui: {
				notify: (line: string, level: string) => this.said.push({ line, level }),
				setWidget: (_key: string, lines: string[] | undefined) => this.widgets.push(lines),
			},
		} as unknown as ExtensionCommandContext;
	}
}
