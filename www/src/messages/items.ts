// What the two lists show: aligned rows, with runs of unchanged ones folded away.

import type { MessageView, Row } from "../core/types.ts";
import { kindName } from "../kinds.ts";

export type Item = { kind: "row"; at: number; row: Row } | { kind: "fold"; from: number; to: number };

/** Unchanged messages left beside a change, for its surroundings. */
const AROUND = 1;
/** A shorter run is not worth a fold. */
const SHORTEST_FOLD = 3;

export const isChanged = (row: Row) => row.change !== undefined || !row.before || !row.after;

/** What the filter offers for a message: its role, for results the tool too. */
export function groupOf(message: MessageView): string {
	return message.tool ? `${message.role} ${message.tool}` : message.role;
}

const roleNames: Record<string, string> = { toolResult: "Result", assistant: "Assistant", bashExecution: "Shell" };

export function nameOf(message: MessageView): string {
	const role = roleNames[message.role] ?? kindName(message.role);
	return message.tool ? `${role} of ${message.tool}` : role;
}

export function groupsOf(rows: readonly Row[]): Map<string, string> {
	const groups = new Map<string, string>();
	for (const { before, after } of rows)
		for (const message of [before, after]) if (message) groups.set(groupOf(message), nameOf(message));
	return new Map([...groups].sort(([, a], [, b]) => a.localeCompare(b)));
}

/**
 * The rows to show. `filter`: "changed" folds what is unchanged, "all" shows everything, a group shows its messages.
 * `opened` are the folds, by their first row, that were opened.
 */
export function itemsOf(rows: readonly Row[], filter: string, opened: ReadonlySet<number>): Item[] {
	const items: Item[] = [];
	if (filter !== "changed") {
		const matches = (message: MessageView | undefined) => message !== undefined && groupOf(message) === filter;
		for (const [at, row] of rows.entries())
			if (filter === "all" || matches(row.before) || matches(row.after)) items.push({ kind: "row", at, row });
		return items;
	}
	let from = 0;
	while (from < rows.length) {
		let to = from;
		while (to < rows.length && !isChanged(rows[to] as Row)) to++;
		const foldFrom = from === 0 ? 0 : from + AROUND;
		const foldTo = to === rows.length ? to : to - AROUND;
		const folded = foldTo - foldFrom >= SHORTEST_FOLD && !opened.has(foldFrom);
		for (let at = from; at < to; at++) {
			if (folded && at === foldFrom) items.push({ kind: "fold", from: foldFrom, to: foldTo });
			if (!folded || at < foldFrom || at >= foldTo) items.push({ kind: "row", at, row: rows[at] as Row });
		}
		if (to < rows.length) items.push({ kind: "row", at: to, row: rows[to] as Row });
		from = to + 1;
	}
	return items;
}
