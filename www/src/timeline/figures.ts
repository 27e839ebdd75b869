// The figures of one request. One behind the last is what would come next: it was never sent, so no cache served it.

import type { Picture } from "../core/protocol.ts";
import type { Outline } from "../core/types.ts";
import { type Kind, kinds } from "../kinds.ts";

export interface Figures {
	/** Tokens. */
	sentOff: number;
	sentOn: number;
	served?: { freshOff: number; freshOn: number; cachedOn: number; cachedOff: number };
	/** ms since 1970; NaN where the log has no time. */
	timestamp: number;
	/** Why what had been sent was changed. */
	reason?: string;
	kinds: Partial<Record<Kind, number>>;
}

/** `view`: the request taken apart, which only the next one needs for its kinds. */
export function figuresOf(picture: Picture, request: number, view?: Outline): Figures {
	const { requests, overview, reasons } = picture;
	if (request >= requests.count) {
		const own: Figures["kinds"] = {};
		for (const { kind, tokens } of view?.map ?? [])
			if (kind !== "saved") own[kind as Kind] = (own[kind as Kind] ?? 0) + tokens;
		return { sentOff: overview.nextOff, sentOn: overview.nextOn, timestamp: Number.NaN, kinds: own };
	}
	const column = (name: keyof typeof requests.columns) => requests.columns[name]?.[request] ?? 0;
	const reason = reasons[requests.columns.rewriteOn?.[request] ?? -1];
	return {
		sentOff: column("sentOff"),
		sentOn: column("sentOn"),
		served: {
			freshOff: column("freshOff"),
			freshOn: column("freshOn"),
			cachedOff: column("cachedOff"),
			cachedOn: column("cachedOn"),
		},
		timestamp: column("timestamp"),
		...(reason === undefined ? {} : { reason }),
		kinds: Object.fromEntries(kinds.map((kind) => [kind, column(kind)])),
	};
}
