import { signal, useSignal } from "@preact/signals";
import { useCallback, useLayoutEffect, useMemo } from "preact/hooks";
import type { Outline } from "../core/types.ts";
import { plural, whole } from "../format.ts";
import { nameOf, shown } from "../state/session.ts";
import { groupsOf, type Item, itemsOf } from "./items.ts";
import { MessageRow } from "./MessageRow.tsx";
import { held, want } from "./rows.ts";
import { useVirtual } from "./virtual.ts";

/** "changed", "all", or a group of messages. */
export const filter = signal("changed");

export function Messages() {
	const now = shown.value;
	if (!now) return <p class="muted">Working out the request …</p>;
	return <Lists index={now.index} outline={now.view} />;
}

const keyOf = (item: Item) => (item.kind === "fold" ? `fold ${item.from}-${item.to}` : `row ${item.at}`);

function Lists({ index, outline }: { index: number; outline: Outline }) {
	const opened = useSignal<ReadonlySet<number>>(new Set());
	const changes = outline.changed.reduce((sum, one) => sum + one, 0);
	const groups = useMemo(() => groupsOf(outline), [outline]);
	const known = filter.value === "all" || filter.value === "changed" || groups.has(filter.value);
	// Nothing changed: folding everything would show nothing.
	const wanted = known && !(filter.value === "changed" && changes === 0) ? filter.value : "all";
	const items = useMemo(() => itemsOf(outline, wanted, opened.value), [outline, wanted, opened.value]);
	const keys = useMemo(() => items.map(keyOf), [items]);
	const guess = useCallback((at: number) => (items[at]?.kind === "fold" ? 34 : 96), [items]);
	const { list, from, to, offset, total } = useVirtual(keys, guess);
	const visible = items.slice(from, to);
	useLayoutEffect(() => {
		const places = items.slice(from, to).flatMap((item) => (item.kind === "row" ? [item.at] : []));
		want(index, outline, places);
	}, [index, outline, items, from, to]);
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
						<option value="changed" disabled={changes === 0}>
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
					{nameOf(index)}: {groups.has(wanted) ? sums(outline, items) : gist(outline, changes)}
				</p>
			</div>
			<div class="sides" aria-hidden="true">
				<span>Without pi-decant</span>
				<span>With pi-decant</span>
			</div>
			<div class="rows" ref={list} style={{ height: `${total}px` }}>
				<ul class="slice" aria-label="Messages" style={{ transform: `translateY(${offset}px)` }}>
					{visible.map((item) => {
						const key = keyOf(item);
						return (
							<li key={key} data-key={key} class="item">
								{item.kind === "row" ? (
									<Place at={item.at} />
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

function Place({ at }: { at: number }) {
	const { request, rows } = held.value;
	const row = rows.get(at);
	return row ? <MessageRow request={request} row={row} /> : <div class="message waiting" />;
}

function gist({ before, saved }: Outline, changes: number): string {
	// A row without a message before is one that was added.
	const count = before.reduce((all, group) => all + (group > 0 ? 1 : 0), 0);
	const added = before.length - count;
	if (changes === 0) return `goes out as it is, ${plural(count, "message")}.`;
	const also = added > 0 ? `, ${whole(added)} added` : "";
	return `${whole(changes - added)} of its ${plural(count, "message")} changed${also}, ${whole(saved)} tokens saved.`;
}

/** What the messages of a group weigh, for tracing the figures of the map. */
function sums({ tokensBefore, tokensAfter }: Outline, items: readonly Item[]): string {
	const rows = items.flatMap((item) => (item.kind === "row" ? [item.at] : []));
	const sum = (tokens: Float64Array) => whole(rows.reduce((all, at) => all + (tokens[at] ?? 0), 0));
	return `${plural(rows.length, "message")}, ${sum(tokensBefore)} tokens without pi-decant, ${sum(tokensAfter)} with.`;
}
