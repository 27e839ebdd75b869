// Where the prices of a session come from, in words.

import type { Overview } from "../core/types.ts";

/** Whether what the session cost can be said at all. */
export const priced = ({ prices }: Overview) => prices.length > 0 && !prices.includes("unknown");

const names: Record<Overview["prices"][number], string> = {
	set: "as set",
	bills: "from its own bills",
	list: "from price lists",
	unknown: "unknown",
};

export const sources = ({ prices }: Overview) => `prices ${prices.map((source) => names[source]).join(" and ")}`;
