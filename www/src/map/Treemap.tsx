import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { MapPart } from "../core/types.ts";
import { short, whole } from "../format.ts";
import { kindColor } from "../kinds.ts";
import { boxes } from "./layout.ts";
import { keyOf, nameOf } from "./parts.ts";

interface TreemapProps {
	name: string;
	parts: readonly MapPart[];
	pick(part: MapPart): void;
}

/** One side of a request, for the eye and the mouse; the table below says the same to everyone. */
export function Treemap({ name, parts, pick }: TreemapProps) {
	const place = useRef<HTMLDivElement>(null);
	const aspect = useSignal(0.6);
	useEffect(() => {
		const box = place.current;
		if (!box) return;
		const seen = new ResizeObserver(() => {
			aspect.value = box.clientHeight / Math.max(1, box.clientWidth);
		});
		seen.observe(box);
		return () => seen.disconnect();
	}, [aspect]);
	const laid = useMemo(() => boxes(parts, aspect.value), [parts, aspect.value]);
	useLayoutEffect(() => {
		const box = place.current;
		const clicked = (event: MouseEvent) => {
			const target = event.target instanceof Element && event.target.closest<HTMLElement>("[data-part]");
			const part = target ? parts[Number(target.dataset.part)] : undefined;
			if (part) pick(part);
		};
		box?.addEventListener("click", clicked);
		return () => box?.removeEventListener("click", clicked);
	}, [parts, pick]);
	return (
		<figure class="side" aria-hidden="true">
			<figcaption>{name}</figcaption>
			<div class="map" ref={place}>
				{laid.map(({ part, x, y, width, height }) => (
					<div
						key={keyOf(part)}
						class={part.kind === "saved" ? "box saved" : "box"}
						data-part={parts.indexOf(part)}
						style={{
							left: `${x}%`,
							top: `${y}%`,
							width: `${width}%`,
							height: `${height}%`,
							"--edge": kindColor(part.kind),
						}}
						title={`${nameOf(part)}: ${whole(part.tokens)} tokens`}
					>
						<span>
							{nameOf(part)} <b>{short(part.tokens)}</b>
						</span>
					</div>
				))}
			</div>
		</figure>
	);
}
