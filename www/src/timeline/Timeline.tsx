import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Picture } from "../core/protocol.ts";
import { change, plural, time, whole } from "../format.ts";
import { count, select, selected } from "../state/session.ts";
import { look } from "../state/theme.ts";
import { draw } from "./draw.ts";
import { columns, height, left } from "./geometry.ts";
import { Legend } from "./Legend.tsx";

/** px; the style sheet draws it this wide. */
const THUMB = 16;

export function Timeline({ picture }: { picture: Picture }) {
	const { requests, reasons } = picture;
	const canvas = useRef<HTMLCanvasElement>(null);
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
		const scene = { requests, selected: selected.value, hovered: hovered.value };
		if (canvas.current && width.value > 0 && look.value) draw(canvas.current, width.value, scene);
	}, [requests, selected.value, hovered.value, width.value, look.value]);

	useArrowKeys();

	const column = (name: string) => requests.columns[name]?.[selected.value] ?? 0;
	const at = columns(width.value, requests.count);
	const under = (event: PointerEvent) => at.at(event.offsetX);
	const when = time(column("timestamp"));
	const reason = reasons[requests.columns.rewriteOn?.[selected.value] ?? -1];
	const sentence = `${whole(column("sentOn"))} tokens instead of ${whole(column("sentOff"))} (${change(column("sentOff"), column("sentOn"))}), ${whole(column("freshOn"))} of them fresh`;
	return (
		<section class="timeline" aria-label="Timeline">
			<div class="canvas">
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
				aria-valuetext={`Request ${selected.value + 1} of ${requests.count}: ${sentence}`}
				min={1}
				max={requests.count}
				value={selected.value + 1}
				// The middle of the thumb stands under the column it picks.
				style={{
					marginLeft: `${left + at.step / 2 - THUMB / 2}px`,
					width: `${at.step * (requests.count - 1) + THUMB}px`,
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
					<strong>
						Request {whole(selected.value + 1)} of {whole(requests.count)}
					</strong>
					{when && <span class="muted"> {when}</span>} <span>{sentence}.</span>{" "}
					{reason && <span class="reason">▲ History rewritten: {reason}</span>}
				</p>
				<NextRewrite rewrites={requests.columns.rewriteOn ?? new Float64Array()} />
			</div>
			<Legend requests={requests} request={selected.value} />
		</section>
	);
}

/** Left and right pick a request wherever nothing else wants them. */
function useArrowKeys() {
	useSignalEffect(() => {
		if (count.value === 0) return;
		const key = (event: KeyboardEvent) => {
			const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
			const taken =
				event.target instanceof HTMLElement && event.target.closest("input, textarea, select, [role=tablist]");
			if (step === undefined || taken || event.altKey || event.ctrlKey || event.metaKey) return;
			event.preventDefault();
			select(selected.peek() + step * (event.shiftKey ? 10 : 1));
		};
		document.addEventListener("keydown", key);
		return () => document.removeEventListener("keydown", key);
	});
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
	const { requests, reasons } = picture;
	const column = (name: string) => requests.columns[name]?.[request] ?? 0;
	const reason = reasons[requests.columns.rewriteOn?.[request] ?? -1];
	const side = x > width / 2 ? { right: `${Math.round(width - x + 10)}px` } : { left: `${Math.round(x + 24)}px` };
	return (
		<div class="tip" aria-hidden="true" style={side}>
			<strong>Request {request + 1}</strong>
			<span>
				with: {whole(column("sentOn"))}, fresh {whole(column("freshOn"))}
			</span>
			<span>
				without: {whole(column("sentOff"))}, fresh {whole(column("freshOff"))}
			</span>
			{reason && <span>▲ {reason}</span>}
		</div>
	);
}
