import { isDeepStrictEqual } from "node:util";
import type { Config } from "../boundary.ts";

/**
 * Settings that decide how messages that were already sent are shown; all others act on what comes or at the next
 * flush, which is an epoch of its own.
 */
const SHOWN = ["protectedTools", "protectedPaths"] as const satisfies readonly (keyof Config)[];

/** The reason for the epoch a change of settings is (law 2); `undefined` where it changes nothing that was sent. */
export function rewriteReason(before: Config, after: Config): string | undefined {
	if (before.enabled !== after.enabled) return after.enabled ? "switched-on" : "switched-off";
	if (!after.enabled) return undefined;
	return SHOWN.some((key) => !isDeepStrictEqual(before[key], after[key])) ? "settings" : undefined;
}
