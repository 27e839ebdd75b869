import { signal, useSignal } from "@preact/signals";
import { useCallback, useMemo } from "preact/hooks";
import type { RequestView } from "../core/types.ts";
import { plural, short, whole } from "../format.ts";
import { nameOf, shown } from "../state/session.ts";
import { groupsOf, type Item, isChanged, itemsOf } from "./items.ts";
import { MessageRow } from "./MessageRow.tsx";
import { useVirtual } from "./virtual.ts";

/** "changed", "all", or a group of messages. */
export const filter = signal("changed");

export function Messages() {
	const now = shown.value;
	if (!now) return <p class="muted">Working out the request …</p>;
	return <Lists index={now.index} request={now.view} />;
}

const keyOf = (item: Item) => (item.kind === "fold" ? `fold ${item.from}-${item.to}` : `row ${item.at}`);

function Lists({ index, request }: { index: number; request: RequestView }) {
	const opened = useSignal<ReadonlySet<number>>(new Set());
	const { rows } = request;
	const changed = useMemo(() => rows.filter(isChanged).length, [rows]);
	const groups = useMemo(() => groupsOf(rows), [rows]);
	const known = filter.value === "all" || filter.value === "changed" || groups.has(filter.value);
	// Nothing changed: folding everything would show nothing.
	const wanted = known && !(filter.value === "changed" && changed === 0) ? filter.value : "all";
	const items = useMemo(() => itemsOf(rows, wanted, opened.value), [rows, wanted, opened.value]);
	const keys = useMemo(() => items.map(keyOf), [items]);
	const guess = useCallback((at: number) => (items[at]?.kind === "fold" ? 34 : 96), [items]);
	const { list, from, to, offset, total } = useVirtual(keys, guess);
	const saved = rows.reduce((sum, { change }) => sum + (change?.savedTokens ?? 0), 0);
	const tokens = (side: "before" | "after") =>
		Math.round(items.reduce((sum, item) => sum + (item.kind === "row" ? (item.row[side]?.units ?? 0) / 4 : 0), 0));
	return (
		<>
			<div class="bar">
				<label>
					<span>Show</span>
					<select
						value={wanted}
						onChange={(event) => {
							filter.value = event.currentTarget.value;
							opened.value = new Set();
						}}
					>
						<option value="changed" disabled={changed === 0}>
							What changed
						</option>
						<option value="all">All messages</option>
						{[...groups].map(([group, name]) => (
							<option key={group} value={group}>
								{name}
							</option>
						))}
					</select>
				</label>
				<p class="muted">
					{groups.has(wanted)
						? `${nameOf(index)}: ${plural(items.length, "message")}, ${whole(tokens("before"))} tokens without pi-decant, ${whole(tokens("after"))} with.`
						: changed === 0
							? `${nameOf(index)} goes out as it is: ${plural(rows.length, "message")}.`
							: `${nameOf(index)}: ${changed} of ${plural(rows.length, "message")} changed, ${short(saved)} tokens saved.`}
				</p>
			</div>
			<div class="sides" aria-hidden="true">
				<span>Without pi-decant</span>
				<span>With pi-decant</span>
			</div>
			<div class="rows" ref={list} style={{ height: `${total}px` }}>
				<ul class="slice" aria-label="Messages" style={{ transform: `translateY(${offset}px)` }}>
					{items.slice(from, to).map((item) => {
						const key = keyOf(item);
						return (
							<li key={key} data-key={key} class="item">
								{item.kind === "row" ? (
									<MessageRow request={index} row={item.row} />
								) : (
									<button
										type="button"
										class="fold"
										onClick={() => {
											opened.value = new Set([...opened.value, item.from]);
										}}
									>
										{plural(item.to - item.from, "unchanged message")}
									</button>
								)}
							</li>
						);
					})}
				</ul>
			</div>
		</>
	);
}
