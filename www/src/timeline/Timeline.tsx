import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Picture } from "../core/protocol.ts";
import { change, plural, time, whole } from "../format.ts";
import { nameOf, select, selected, shown } from "../state/session.ts";
import { look } from "../state/theme.ts";
import { drawColumns, drawPicked } from "./draw.ts";
import { figuresOf } from "./figures.ts";
import { columns, height, left } from "./geometry.ts";
import { Legend } from "./Legend.tsx";

/** px; the style sheet draws it this wide. */
const THUMB = 16;

export function Timeline({ picture }: { picture: Picture }) {
	const { requests } = picture;
	// The last place is the request that would come next.
	const places = requests.count + 1;
	const canvas = useRef<HTMLCanvasElement>(null);
	const behind = useRef<HTMLCanvasElement>(null);
	const width = useSignal(0);
	const hovered = useSignal<number | undefined>(undefined);

	useEffect(() => {
		const box = canvas.current?.parentElement;
		if (!box) return;
		const seen = new ResizeObserver(() => {
			width.value = box.clientWidth;
		});
		seen.observe(box);
		return () => seen.disconnect();
	}, [width]);

	useEffect(() => {
		if (canvas.current && width.value > 0 && look.value) drawColumns(canvas.current, width.value, picture);
	}, [picture, width.value, look.value]);

	useEffect(() => {
		if (behind.current && width.value > 0 && look.value)
			drawPicked(behind.current, width.value, places, selected.value, hovered.value);
	}, [places, selected.value, hovered.value, width.value, look.value]);

	useArrowKeys();

	const at = columns(width.value, places);
	const under = (event: PointerEvent) => at.at(event.offsetX);
	const view = shown.value?.index === selected.value ? shown.value.view : undefined;
	const figures = figuresOf(picture, selected.value, view);
	const { sentOff, sentOn, served, reason } = figures;
	const when = time(figures.timestamp);
	const isNext = selected.value === requests.count;
	const name = isNext
		? "The next request, not made yet"
		: `Request ${whole(selected.value + 1)} of ${whole(requests.count)}`;
	const fresh = served ? `, ${whole(served.freshOn)} of them fresh` : "";
	const sentence = `${whole(sentOn)} tokens instead of ${whole(sentOff)} (${change(sentOff, sentOn)})${fresh}`;
	return (
		<section class="timeline" aria-label="Timeline">
			<div class="canvas">
				<canvas ref={behind} class="behind" style={{ height: `${height}px` }} />
				<canvas
					ref={canvas}
					role="img"
					aria-label={`${plural(requests.count, "request")}: tokens of each by kind, with and without pi-decant. The slider below reads out each one.`}
					style={{ height: `${height}px` }}
					onPointerDown={(event) => {
						const request = under(event);
						if (request !== undefined) select(request);
					}}
					onPointerMove={(event) => {
						const request = under(event);
						hovered.value = request;
						if (event.buttons === 1 && request !== undefined) select(request);
					}}
					onPointerLeave={() => {
						hovered.value = undefined;
					}}
				/>
				{hovered.value !== undefined && (
					<Tip picture={picture} request={hovered.value} x={at.x(hovered.value)} width={width.value} />
				)}
			</div>
			<input
				type="range"
				aria-label="Request"
				aria-valuetext={`${name}: ${sentence}`}
				min={1}
				max={places}
				value={selected.value + 1}
				// The middle of the thumb stands under the column it picks.
				style={{
					marginLeft: `${left + at.step / 2 - THUMB / 2}px`,
					width: `${at.step * (places - 1) + THUMB}px`,
				}}
				onInput={(event) => select(event.currentTarget.valueAsNumber - 1)}
			/>
			<div class="pick">
				<button type="button" class="step" aria-label="Request before" onClick={() => select(selected.value - 1)}>
					‹
				</button>
				<button type="button" class="step" aria-label="Request after" onClick={() => select(selected.value + 1)}>
					›
				</button>
				<p class="chosen">
					<strong>{name}</strong>
					{when && <span class="muted"> {when}</span>} <span>{sentence}.</span>{" "}
					{reason && <span class="reason">▲ History rewritten: {reason}</span>}
				</p>
				<NextRewrite rewrites={requests.columns.rewriteOn ?? new Float64Array()} />
			</div>
			<Legend picture={picture} figures={figures} />
		</section>
	);
}

/** Left and right pick a request wherever nothing else wants them. */
function useArrowKeys() {
	useLayoutEffect(() => {
		const key = (event: KeyboardEvent) => {
			const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
			const wanted = "input, textarea, select, [role=tablist]";
			const taken = event.target instanceof HTMLElement && event.target.closest(wanted);
			if (step === undefined || taken || event.altKey || event.ctrlKey || event.metaKey) return;
			event.preventDefault();
			select(selected.peek() + step * (event.shiftKey ? 10 : 1));
		};
		document.addEventListener("keydown", key);
		return () => document.removeEventListener("keydown", key);
	}, []);
}

function NextRewrite({ rewrites }: { rewrites: Float64Array }) {
	const isRewrite = (reason: number) => reason >= 0;
	const next = rewrites.findIndex((reason, at) => at > selected.value && isRewrite(reason));
	const first = rewrites.findIndex(isRewrite);
	if (first < 0) return null;
	return (
		<button type="button" class="plain" onClick={() => select(next < 0 ? first : next)}>
			{next < 0 ? "First rewrite" : "Next rewrite"}
		</button>
	);
}

function Tip({ picture, request, x, width }: { picture: Picture; request: number; x: number; width: number }) {
	const { sentOn, sentOff, served, reason } = figuresOf(picture, request);
	const side = x > width / 2 ? { right: `${Math.round(width - x + 10)}px` } : { left: `${Math.round(x + 24)}px` };
	return (
		<div class="tip" aria-hidden="true" style={side}>
			<strong>{nameOf(request)}</strong>
			<span>
				with: {whole(sentOn)}
				{served && `, fresh ${whole(served.freshOn)}`}
			</span>
			<span>
				without: {whole(sentOff)}
				{served && `, fresh ${whole(served.freshOff)}`}
			</span>
			{reason && <span>▲ {reason}</span>}
		</div>
	);
}
