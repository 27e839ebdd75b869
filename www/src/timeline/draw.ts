// The timeline on its canvas: a column for each request.
//
// Top: tokens by kind as sent with pi-decant, before a pale column of what would have been sent without. Below, on one
// scale, how both would have been served: dark what is fresh, light what the cache has. Between them a mark for each
// rewrite of the history. A canvas, since thousands of columns are tens of thousands of SVG elements.

import type { Picture } from "../core/protocol.ts";
import type { RequestColumn } from "../core/types.ts";
import { short } from "../format.ts";
import { kinds } from "../kinds.ts";
import { type Columns, columns, drawn, height, left, type Panel, panels, ticks } from "./geometry.ts";

interface Ink {
	[name: string]: string;
}

const inks = ["ink", "muted", "rule", "ghost", "ghost-edge", "fresh", "cached", "mark", "select", "panel"] as const;

/** The colours of the present theme; read at each drawing, which is cheap beside it. */
function inkOf(element: HTMLElement): Ink {
	const style = getComputedStyle(element);
	const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
	return Object.fromEntries([
		...inks.map((name) => [name, read(name)]),
		...kinds.map((kind) => [kind, read(`kind-${kind}`)]),
	]);
}

/** A canvas of this size on the screen, empty, and what to draw on it with. */
function prepared(canvas: HTMLCanvasElement, width: number, places: number): Pen | undefined {
	const context = canvas.getContext("2d");
	if (!context) return undefined;
	const dots = window.devicePixelRatio || 1;
	canvas.width = Math.round(width * dots);
	canvas.height = Math.round(height * dots);
	context.setTransform(dots, 0, 0, dots, 0, 0);
	return new Pen(context, inkOf(canvas), columns(width, places), width);
}

/** The columns. Drawn anew for another picture, width or theme only. */
export function drawColumns(canvas: HTMLCanvasElement, width: number, { requests, overview }: Picture): void {
	const pen = prepared(canvas, width, requests.count + 1);
	if (!pen) return;
	const column = (name: RequestColumn) => requests.columns[name] ?? new Float64Array(requests.count);
	const [sentOff, sentOn] = [column("sentOff"), column("sentOn")];
	const size = (request: number) => Math.max(sentOff[request] ?? 0, sentOn[request] ?? 0);
	const visible = drawn(pen.columns.step, requests.count, size);
	let largest = Math.max(1, overview.nextOff, overview.nextOn);
	for (const request of visible) largest = Math.max(largest, size(request));

	for (const panel of [panels.kinds, panels.on, panels.off]) pen.axis(panel, largest);
	const unit = panels.kinds.height / largest;
	pen.ink("ghost");
	for (const request of visible) pen.bar(panels.kinds, request, 0, (sentOff[request] ?? 0) * unit);
	pen.bar(panels.kinds, requests.count, 0, overview.nextOff * unit);
	// What would come next was never taken apart by kind.
	pen.ink("muted");
	pen.bar(panels.kinds, requests.count, 0, overview.nextOn * unit);
	const stacked = new Float64Array(requests.count);
	for (const kind of kinds) {
		const tokens = column(kind);
		pen.ink(kind);
		for (const request of visible) {
			const from = stacked[request] ?? 0;
			stacked[request] = from + (tokens[request] ?? 0) * unit;
			pen.bar(panels.kinds, request, from, stacked[request]);
		}
	}
	for (const [panel, fresh, cached] of [
		[panels.on, column("freshOn"), column("cachedOn")],
		[panels.off, column("freshOff"), column("cachedOff")],
	] as const) {
		// Where columns are thinner than a pixel, the one that cost most is seen.
		const costly = drawn(pen.columns.step, requests.count, (request) => fresh[request] ?? 0);
		pen.served(panel, costly, fresh, cached, largest);
	}
	const rewrites = column("rewriteOn");
	pen.ink("mark");
	for (let request = 0; request < requests.count; request++) if ((rewrites[request] ?? -1) >= 0) pen.triangle(request);
	pen.title(panels.kinds, "Tokens of each request, by kind; pale: without pi-decant");
	pen.title(panels.on, "With pi-decant: fresh and cached");
	pen.title(panels.off, "Without");
}

/** What is picked and pointed at, on a canvas behind the columns. */
export function drawPicked(
	canvas: HTMLCanvasElement,
	width: number,
	places: number,
	selected: number,
	hovered: number | undefined,
): void {
	const pen = prepared(canvas, width, places);
	if (hovered !== undefined) pen?.band(hovered, "rule");
	pen?.band(selected, "select");
	pen?.cursor(selected);
}

class Pen {
	readonly columns: Columns;
	readonly #to: CanvasRenderingContext2D;
	readonly #ink: Ink;
	readonly #width: number;
	#marked = Number.NEGATIVE_INFINITY;

	constructor(to: CanvasRenderingContext2D, ink: Ink, at: Columns, width: number) {
		this.#to = to;
		this.#ink = ink;
		this.columns = at;
		this.#width = width;
		to.font = "11px system-ui, sans-serif";
	}

	ink(name: string): void {
		this.#to.fillStyle = this.#ink[name] ?? "";
	}

	/** Single rectangles: thousands of them as one path took the software rasterizer half a second. */
	bar(panel: Panel, request: number, from: number, to: number): void {
		if (to > from) this.#to.fillRect(this.columns.x(request), panel.base - to, this.columns.width(request), to - from);
	}

	served(panel: Panel, visible: number[], fresh: Float64Array, cached: Float64Array, largest: number): void {
		const unit = panel.height / largest;
		const dark = (request: number) => {
			const tokens = fresh[request] ?? 0;
			// A little that is fresh is seen, if only as a line.
			return tokens > 0 ? Math.max(1, tokens * unit) : 0;
		};
		this.ink("fresh");
		for (const request of visible) this.bar(panel, request, 0, dark(request));
		this.ink("cached");
		for (const request of visible)
			this.bar(panel, request, dark(request), dark(request) + (cached[request] ?? 0) * unit);
	}

	triangle(request: number): void {
		const middle = this.columns.x(request) + this.columns.width(request) / 2;
		// One that hides behind another shows nothing.
		if (middle - this.#marked < 2) return;
		this.#marked = middle;
		const { base, height: rise } = panels.marks;
		this.#to.beginPath();
		this.#to.moveTo(middle, base - rise + 2);
		this.#to.lineTo(middle + 4, base - 2);
		this.#to.lineTo(middle - 4, base - 2);
		this.#to.fill();
	}

	axis(panel: Panel, largest: number): void {
		const to = this.#to;
		to.strokeStyle = this.#ink.rule ?? "";
		to.fillStyle = this.#ink.muted ?? "";
		to.textAlign = "right";
		to.textBaseline = "middle";
		// A low panel has room for one figure.
		const steps = panel.height < 60 ? ticks(largest).slice(-1) : ticks(largest);
		for (const tokens of [0, ...steps]) {
			const y = Math.round(panel.base - (tokens / largest) * panel.height) + 0.5;
			to.beginPath();
			to.moveTo(left, y);
			to.lineTo(this.#width, y);
			to.stroke();
			if (tokens > 0) to.fillText(short(tokens), left - 6, y);
		}
	}

	title(panel: Panel, text: string): void {
		const to = this.#to;
		to.textAlign = "left";
		to.textBaseline = "alphabetic";
		const y = panel.base - panel.height - 4;
		to.fillStyle = this.#ink.muted ?? "";
		to.fillText(text, left, y, this.#width - left);
	}

	band(request: number, ink: string): void {
		this.ink(ink);
		const wide = Math.max(this.columns.step, 3);
		const middle = left + (request + 0.5) * this.columns.step;
		this.#to.fillRect(middle - wide / 2, 12, wide, height - 16);
	}

	cursor(request: number): void {
		const middle = left + (request + 0.5) * this.columns.step;
		this.#to.fillStyle = this.#ink.ink ?? "";
		this.#to.fillRect(Math.round(middle - 0.5), panels.off.base + 1, 1, 7);
		this.#to.fillRect(Math.round(middle - 3), panels.off.base + 5, 6, 2);
	}
}
