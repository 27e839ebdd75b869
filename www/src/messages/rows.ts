// The rows that are on the screen, fetched from the worker. Those of the request before stay until the new ones are there:
// a list that empties at each step of the slider flickers.

import { signal } from "@preact/signals";
import type { Outline, Row } from "../core/types.ts";
import { latestOnly } from "../state/latest.ts";
import { core, picture, trouble } from "../state/session.ts";

interface Held {
	of: Outline | undefined;
	/** The request that the rows are of: its messages are asked for with their places in it. */
	request: number;
	rows: ReadonlyMap<number, Row>;
}

export const held = signal<Held>({ of: undefined, request: 0, rows: new Map() });

let wanted: { index: number; of: Outline; places: number[] } | undefined;

const fetchRows = latestOnly(async () => {
	if (!wanted) return;
	const { index, of, places } = wanted;
	const known = held.peek().of === of ? held.peek().rows : undefined;
	const missing = places.filter((at) => !known?.has(at));
	if (missing.length === 0) return;
	const seen = picture.peek();
	try {
		const rows = await core().call("rows", index, Uint32Array.from(missing));
		held.value = {
			of,
			request: index,
			rows: new Map([...(known ?? []), ...missing.map((at, nth) => [at, rows[nth] as Row] as const)]),
		};
	} catch (error) {
		// Another branch or transcript may not have this request, and nobody looks at it any more.
		if (wanted?.of === of && picture.peek() === seen)
			trouble.value = error instanceof Error ? error.message : String(error);
	}
});

/** Asks for rows of a request. */
export function want(index: number, of: Outline, places: number[]): void {
	wanted = { index, of, places };
	fetchRows();
}
