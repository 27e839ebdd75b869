// What the two lists show: aligned rows, with runs of unchanged ones folded away.

import type { Outline } from "../core/types.ts";
import { kindName, kindOfRole } from "../kinds.ts";

export type Item = { kind: "row"; at: number } | { kind: "fold"; from: number; to: number };

/** Unchanged messages left beside a change, for its surroundings. */
const AROUND = 1;
/** A shorter run is not worth a fold. */
const SHORTEST_FOLD = 3;

const roleNames: Record<string, string> = { toolResult: "Result", assistant: "Assistant", bashExecution: "Shell" };

/** A message in words: its role, for results the tool too. */
export function nameOf({ role, tool }: { role: string; tool?: string }): string {
	const name = roleNames[role] ?? kindName(role);
	return tool ? `${name} of ${tool}` : name;
}

/** All that counts as the user's, where that is more than one group. */
const USERS_SIDE = "kind user";

const usersGroups = ({ groups }: Outline) => groups.filter(({ role }) => kindOfRole(role) === "user");

/** The filter that shows what the map counts as the user's. */
export const usersFilter = (outline: Outline) => {
	const own = usersGroups(outline);
	return own.length === 1 ? (own[0]?.key ?? "user") : USERS_SIDE;
};

/** Names of the filters by group, in the order of their names. */
export function groupsOf(outline: Outline): Map<string, string> {
	const named: [string, string][] = outline.groups.map((group) => [group.key, nameOf(group)]);
	if (usersGroups(outline).length > 1) named.push([USERS_SIDE, "User’s side, all"]);
	return new Map(named.sort(([, a], [, b]) => a.localeCompare(b)));
}

/**
 * The rows to show. `filter`: "changed" folds what is unchanged, "all" shows everything, a group shows its messages.
 * `opened` are the folds, by their first row, that were opened.
 */
export function itemsOf(outline: Outline, filter: string, opened: ReadonlySet<number>): Item[] {
	const { changed, before, after } = outline;
	const count = changed.length;
	const items: Item[] = [];
	if (filter !== "changed") {
		const wanted = outline.groups.map(
			({ key, role }) => key === filter || (filter === USERS_SIDE && kindOfRole(role) === "user"),
		);
		const isWanted = (group: number | undefined) => wanted[(group ?? 0) - 1] === true;
		for (let at = 0; at < count; at++)
			if (filter === "all" || isWanted(before[at]) || isWanted(after[at])) items.push({ kind: "row", at });
		return items;
	}
	let from = 0;
	while (from < count) {
		let to = from;
		while (to < count && changed[to] === 0) to++;
		const foldFrom = from === 0 ? 0 : from + AROUND;
		const foldTo = to === count ? to : to - AROUND;
		const folded = foldTo - foldFrom >= SHORTEST_FOLD && !opened.has(foldFrom);
		for (let at = from; at < to; at++) {
			if (folded && at === foldFrom) items.push({ kind: "fold", from: foldFrom, to: foldTo });
			if (!folded || at < foldFrom || at >= foldTo) items.push({ kind: "row", at });
		}
		if (to < count) items.push({ kind: "row", at: to });
		from = to + 1;
	}
	return items;
}
