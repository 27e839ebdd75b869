// A request in outline. A long one has ten thousand rows: copying all of them to the page at each step of the slider took
// hundreds of milliseconds of its thread, so the worker keeps them and the page asks for those it shows.

import type { MapPart, MessageView, RequestView } from "./types.ts";

export interface Outline {
	/** Rows. */
	count: number;
	/** What kinds of messages there are: a role, for results with the tool. */
	groups: { key: string; role: string; tool?: string }[];
	/** The group of each row's message on that side, by its place in `groups` plus one; 0: none there. */
	before: Uint16Array;
	after: Uint16Array;
	/** 1 where the sides differ. */
	changed: Uint8Array;
	/** Tokens. */
	tokensBefore: Float64Array;
	tokensAfter: Float64Array;
	/** How many rows changed, and what that saved, in tokens. */
	changes: number;
	saved: number;
	/** What the query can be asked with, each once. */
	refs: string[];
	map: MapPart[];
}

/** More kinds than any session has; what goes beyond is one of them. */
const MOST_GROUPS = 65_000;

export function outlineOf({ rows, map }: RequestView): Outline {
	const count = rows.length;
	const outline: Outline = {
		count,
		groups: [],
		before: new Uint16Array(count),
		after: new Uint16Array(count),
		changed: new Uint8Array(count),
		tokensBefore: new Float64Array(count),
		tokensAfter: new Float64Array(count),
		changes: 0,
		saved: 0,
		refs: [],
		map,
	};
	const places = new Map<string, number>();
	const groupOf = (message: MessageView | undefined): number => {
		if (!message) return 0;
		const { role, tool } = message;
		const key = tool === undefined ? role : `${role} ${tool}`;
		const known = places.get(key);
		if (known !== undefined) return known;
		if (outline.groups.length < MOST_GROUPS)
			outline.groups.push(tool === undefined ? { key, role } : { key, role, tool });
		places.set(key, outline.groups.length);
		return outline.groups.length;
	};
	const refs = new Set<string>();
	for (const [at, { before, after, change }] of rows.entries()) {
		outline.before[at] = groupOf(before);
		outline.after[at] = groupOf(after);
		outline.tokensBefore[at] = (before?.units ?? 0) / 4;
		outline.tokensAfter[at] = (after?.units ?? 0) / 4;
		if (change || !before || !after) {
			outline.changed[at] = 1;
			outline.changes++;
		}
		outline.saved += change?.savedTokens ?? 0;
		if (change?.ref) refs.add(change.ref);
	}
	outline.refs = [...refs];
	return outline;
}
