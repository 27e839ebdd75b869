import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Config, QueryAnswer, Report } from "../boundary.ts";
import type { CoreFailure } from "../core.ts";
import type { FlushEnd, FlushTrigger } from "../flush/flusher.ts";
import type { Settings } from "../settings/settings.ts";
import type { EpochNode } from "../ui/epochs.ts";
import type { Pause } from "../ui/pause.ts";
import type { FlushWatch } from "../ui/progress.ts";

/** What commands can see and do in the running session. */
export interface PrunerControl {
	config(): Config;
	/** Path of the settings file. */
	settingsPath(): string;
	/** The settings behind `config()`: their rows, and what is wrong with a value. */
	settings(): Settings;
	/** Changes settings at once; returns what kept them from being saved. */
	change(changes: Record<string, unknown>, ctx: ExtensionContext): string | undefined;
	/** The core's numbers for the current branch; `undefined` where it cannot be asked. */
	report(ctx: ExtensionContext): Report | undefined;
	/** The branch's epochs, oldest first; `undefined` where the core cannot be asked. */
	tree(ctx: ExtensionContext): readonly EpochNode[] | undefined;
	/** Flushes what is pending; resolves when it is done. */
	flush(ctx: ExtensionContext, trigger: FlushTrigger, watch?: FlushWatch): Promise<FlushEnd>;
	/** Why no flush can come though pruning is on; `undefined` where one can. */
	paused(): Pause | undefined;
	/** What `context_tree_query` answers the model. */
	query(ids: string[], page: { offset?: number; limit?: number }): QueryAnswer | string;
	/** Whether a flush is under way. */
	flushing(): boolean;
	lastFailure(): CoreFailure | undefined;
	/** The newest context pi gave us; for completion, which gets none. */
	context(): ExtensionContext | undefined;
	/** How the newest flush of this session ended; `undefined` before the first. */
	lastFlush(): FlushEnd | undefined;
}
