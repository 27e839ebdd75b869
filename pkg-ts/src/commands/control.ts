import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Config, Report } from "../boundary.ts";
import type { CoreFailure } from "../core.ts";
import type { FlushEnd } from "../flush/flusher.ts";

/** What commands can see and do in the running session. */
export interface PrunerControl {
	config(): Config;
	/** Path of the settings file. */
	settingsPath(): string;
	/** Changes settings at once; returns what kept them from being saved. */
	change(changes: Record<string, unknown>, ctx: ExtensionContext): string | undefined;
	/** The core's numbers for the current branch; `undefined` where it cannot be asked. */
	report(ctx: ExtensionContext): Report | undefined;
	/** Flushes what is pending; resolves when it is done. */
	flush(ctx: ExtensionContext): Promise<FlushEnd>;
	/** Whether a flush is under way. */
	flushing(): boolean;
	lastFailure(): CoreFailure | undefined;
}
