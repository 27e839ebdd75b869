// Where a request stands on the canvas. All figures in CSS pixels.

export const left = 46;
const right = 6;
/** Few requests make narrow columns, not walls. */
const widest = 26;

export interface Panel {
	/** The baseline and how far columns rise above it. */
	base: number;
	height: number;
}

/** The panels from top to bottom, and the strip between the first two that the marks stand in. */
export const panels = {
	kinds: { base: 136, height: 116 },
	marks: { base: 152, height: 12 },
	on: { base: 212, height: 44 },
	off: { base: 272, height: 44 },
} as const satisfies Record<string, Panel>;

export const height = 280;

export interface Columns {
	/** Of a request to the next one. */
	step: number;
	/** The left edge of a request's bar, and how wide it is. */
	x(request: number): number;
	width(request: number): number;
	/** The request under a point; undefined beside all of them. */
	at(x: number): number | undefined;
}

export function columns(width: number, count: number): Columns {
	const room = Math.max(1, width - left - right);
	const step = Math.min(widest, room / Math.max(1, count));
	// On whole pixels: edges between them would be drawn twice, half of each, and show as stripes.
	const edge = (request: number) => Math.round(left + request * step);
	const gap = step >= 4 ? Math.max(1, Math.round(step * 0.18)) : 0;
	return {
		step,
		x: edge,
		width: (request) => Math.max(1, edge(request + 1) - edge(request) - gap),
		at: (x) => {
			const request = Math.floor((x - left) / step);
			return request >= 0 && request < count ? request : undefined;
		},
	};
}

/** The requests to draw: all of them, or where they are narrower than a pixel the largest of each pixel. */
export function drawn(step: number, count: number, size: (request: number) => number): number[] {
	const every = Math.max(1, Math.ceil(1 / step));
	const chosen: number[] = [];
	for (let from = 0; from < count; from += every) {
		let best = from;
		for (let request = from + 1; request < Math.min(count, from + every); request++)
			if (size(request) > size(best)) best = request;
		chosen.push(best);
	}
	return chosen;
}

/** Round figures for an axis: two to four, 0 not among them. */
export function ticks(largest: number): number[] {
	if (largest <= 0) return [];
	const rough = largest / 3;
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = power * (rough / power >= 5 ? 5 : rough / power >= 2 ? 2 : 1);
	return Array.from({ length: Math.floor(largest / step) }, (_, at) => (at + 1) * step);
}
