import { isDeepStrictEqual } from "node:util";
import type { Config } from "../boundary.ts";

/**
 * The settings that decide how messages that were already sent are shown. All others act on what comes or at the next
 * flush, which is an epoch of its own; those named `live` are exempt.
 */
function shown({ protectedTools, protectedPaths, chainCompression }: Config): unknown {
	return { protectedTools, protectedPaths, blocks: chainCompression.enabled };
}

/** The reason for the epoch a change of settings is (law 2); `undefined` where it changes nothing that was sent. */
export function rewriteReason(before: Config, after: Config): string | undefined {
	if (before.enabled !== after.enabled) return after.enabled ? "switched-on" : "switched-off";
	if (!after.enabled) return undefined;
	return isDeepStrictEqual(shown(before), shown(after)) ? undefined : "settings";
}
