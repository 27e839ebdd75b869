import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { MapPart, Outline } from "../core/types.ts";
import { share, short, whole } from "../format.ts";
import { kindColor, kindName } from "../kinds.ts";
import { usersFilter } from "../messages/items.ts";
import { filter } from "../messages/Messages.tsx";
import { view } from "../page/Views.tsx";
import { nameOf, shown } from "../state/session.ts";
import { boxes } from "./layout.ts";

const groups: Record<string, string> = {
	system: "system",
	tools: "system",
	saved: "changed",
	summaries: "changed",
	results: "changed",
};

/** Shows the messages that a part consists of. */
function trace({ kind, label }: MapPart, outline: Outline): void {
	const group = kind === "results" && label !== "stubs" ? `toolResult ${label}` : groups[kind];
	filter.value = kind === "user" ? usersFilter(outline) : (group ?? "assistant");
	view.value = "messages";
}

const title = ({ kind, label }: MapPart) =>
	label === kind || label === "" || label === kindName(kind) ? kindName(kind) : `${kindName(kind)}: ${label}`;

export function WindowMap() {
	const now = shown.value;
	const place = useRef<HTMLDivElement>(null);
	const aspect = useSignal(0.4);
	useEffect(() => {
		const box = place.current;
		if (!box) return;
		const seen = new ResizeObserver(() => {
			aspect.value = box.clientHeight / Math.max(1, box.clientWidth);
		});
		seen.observe(box);
		return () => seen.disconnect();
	}, [aspect, now === undefined]);
	const parts = useMemo(() => [...(now?.view.map ?? [])].sort((a, b) => b.tokens - a.tokens), [now]);
	const laid = useMemo(() => boxes(parts, aspect.value), [parts, aspect.value]);
	useLayoutEffect(() => {
		const box = place.current;
		const pick = (event: MouseEvent) => {
			const part = event.target instanceof Element && event.target.closest<HTMLElement>("[data-part]");
			const picked = part ? parts[Number(part.dataset.part)] : undefined;
			if (picked && now) trace(picked, now.view);
		};
		box?.addEventListener("click", pick);
		return () => box?.removeEventListener("click", pick);
	}, [parts, now]);
	if (!now) return <p class="muted">Working out the request …</p>;
	const sent = parts.reduce((sum, { kind, tokens }) => sum + (kind === "saved" ? 0 : tokens), 0);
	return (
		<>
			<p class="muted">
				{nameOf(now.index)}: {whole(sent)} tokens. A part leads to its messages.
			</p>
			{/* For the eye and the mouse; the table below says the same to everyone. */}
			<div class="map" ref={place} aria-hidden="true">
				{laid.map(({ part, x, y, width, height }) => (
					<div
						key={`${part.kind} ${part.label}`}
						class={part.kind === "saved" ? "box saved" : "box"}
						data-part={parts.indexOf(part)}
						style={{
							left: `${x}%`,
							top: `${y}%`,
							width: `${width}%`,
							height: `${height}%`,
							"--edge": kindColor(part.kind),
						}}
						title={`${title(part)}: ${whole(part.tokens)} tokens`}
					>
						<span>
							{title(part)} <b>{short(part.tokens)}</b>
						</span>
					</div>
				))}
			</div>
			<table class="parts">
				<thead>
					<tr>
						<th scope="col">Part</th>
						<th scope="col">Tokens</th>
						<th scope="col">Of what is sent</th>
					</tr>
				</thead>
				<tbody>
					{parts.map((part) => (
						<tr key={`${part.kind} ${part.label}`}>
							<th scope="row">
								<i style={{ background: kindColor(part.kind) }} aria-hidden="true" />
								<button type="button" class="link" onClick={() => trace(part, now.view)}>
									{title(part)}
								</button>
							</th>
							<td>{whole(part.tokens)}</td>
							<td>{part.kind === "saved" ? "not sent" : share(part.tokens, sent)}</td>
						</tr>
					))}
				</tbody>
			</table>
		</>
	);
}
