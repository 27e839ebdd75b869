import { isDeepStrictEqual } from "node:util";
import type { Config } from "../boundary.ts";

/**
 * The settings that decide how messages that were already sent are shown. All others act on what comes or at the next
 * flush, which is an epoch of its own.
 */
function shown({ protectedTools, protectedPaths, chainCompression }: Config): unknown {
	return { protectedTools, protectedPaths, blocks: chainCompression.enabled };
}

/** What ages with every turn: nothing, unless the user wants it so. */
function live({ purgeErrors, thinkingStrip }: Config): unknown {
	return {
		purge: purgeErrors.enabled && purgeErrors.timing === "live" ? purgeErrors : undefined,
		strip: thinkingStrip.enabled && thinkingStrip.boundary === "live" ? thinkingStrip : undefined,
	};
}

/** The reason for the epoch a change of settings is (law 2); `undefined` where it changes nothing that was sent. */
export function rewriteReason(before: Config, after: Config): string | undefined {
	if (before.enabled !== after.enabled) return after.enabled ? "switched-on" : "switched-off";
	if (!after.enabled) return undefined;
	if (!isDeepStrictEqual(live(before), live(after))) return "live";
	return isDeepStrictEqual(shown(before), shown(after)) ? undefined : "settings";
}
