// Which rows of a long list are in the document: those near the screen. Heights are guessed until a row has been seen.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";

/** px above and below the screen that are kept filled, for quick scrolling. */
const MARGIN = 600;

export interface Window {
	from: number;
	to: number;
	/** px above the first row, and of the whole list. */
	offset: number;
	total: number;
}

/** The rows that meet [top, bottom), of rows that begin at `starts` (one more than there are rows: the end). */
export function windowOf(starts: Float64Array, top: number, bottom: number): Window {
	const count = starts.length - 1;
	const total = starts[count] ?? 0;
	let [low, high] = [0, count];
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((starts[middle + 1] ?? 0) <= top) low = middle + 1;
		else high = middle;
	}
	let to = low;
	while (to < count && (starts[to] ?? 0) < bottom) to++;
	return { from: low, to, offset: starts[low] ?? 0, total };
}

/**
 * Scrolls with the page. `keys` name the rows, so that measured heights outlive a change of the list; `list` goes to the
 * element that holds the rows, each of which has its key in `data-key`.
 */
export function useVirtual(keys: readonly string[], guess: (at: number) => number) {
	const list = useRef<HTMLDivElement>(null);
	const heights = useRef(new Map<string, number>());
	const measured = useSignal(0);
	const view = useSignal({ top: 0, bottom: 1_500 });
	const generation = measured.value;

	const starts = useMemo(() => {
		const all = new Float64Array(keys.length + 1);
		for (const [at, key] of keys.entries()) all[at + 1] = (all[at] ?? 0) + (heights.current.get(key) ?? guess(at));
		return all;
	}, [keys, guess, generation]);

	useLayoutEffect(() => {
		const look = () => {
			const top = -(list.current?.getBoundingClientRect().top ?? 0);
			const seen = { top: top - MARGIN, bottom: top + window.innerHeight + MARGIN };
			// A step as small as half the margin changes nothing that is seen.
			if (
				Math.abs(seen.top - view.peek().top) > MARGIN / 2 ||
				seen.bottom - seen.top !== view.peek().bottom - view.peek().top
			)
				view.value = seen;
		};
		look();
		window.addEventListener("scroll", look, { passive: true });
		window.addEventListener("resize", look);
		return () => {
			window.removeEventListener("scroll", look);
			window.removeEventListener("resize", look);
		};
	}, [view]);

	useLayoutEffect(() => {
		const rows = new ResizeObserver((entries) => {
			let changed = false;
			for (const { target } of entries) {
				const element = target as HTMLElement;
				const [key, height] = [element.dataset.key ?? "", element.offsetHeight];
				if (height > 0 && heights.current.get(key) !== height) {
					heights.current.set(key, height);
					changed = true;
				}
			}
			if (changed) measured.value++;
		});
		for (const row of list.current?.querySelectorAll("[data-key]") ?? []) rows.observe(row);
		return () => rows.disconnect();
	});

	return { list, ...windowOf(starts, view.value.top, view.value.bottom) };
}
