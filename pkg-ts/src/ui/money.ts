import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { tokensOf } from "./format.ts";

/** Dollars for a million tokens, as pi's model table states them; 0 where a price is not known. */
export type Prices = Pick<NonNullable<ExtensionContext["model"]>["cost"], "input" | "cacheRead">;

/**
 * What leaving out this much text saves in one request, in dollars; `undefined` where the model has no prices.
 *
 * Text that was sent before is read from the provider's cache as a rule, so the cached price counts where there is
 * one; anything else would flatter us.
 */
export function savedPerRequest(units: number, prices: Prices | undefined): number | undefined {
	const price = prices?.cacheRead || prices?.input;
	return price && units > 0 ? (tokensOf(units) * price) / 1_000_000 : undefined;
}

/** What the newest reply on the branch cost. */
export interface LastReply {
	/** Tokens of its request: fresh, read from the cache and written to it. */
	tokens: number;
	/** Those of them read from the cache. */
	cached: number;
	/** Dollars; 0 where the model has no prices. */
	cost: number;
}

/** The usage of the newest reply on the branch that reported any. */
export function lastReply(view: Pick<ExtensionContext["sessionManager"], "getBranch">): LastReply | undefined {
	for (const entry of view.getBranch().toReversed()) {
		if (entry.type !== "message" || entry.message.role !== "assistant") continue;
		const { input = 0, cacheRead = 0, cacheWrite = 0, cost } = entry.message.usage ?? {};
		const tokens = input + cacheRead + cacheWrite;
		if (tokens > 0) return { tokens, cached: cacheRead, cost: cost?.total ?? 0 };
	}
	return undefined;
}
