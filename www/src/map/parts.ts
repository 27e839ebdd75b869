// The parts of a request on both sides, under one name each.

import type { MapPart, Outline } from "../core/types.ts";
import { kindName, kindOfRole } from "../kinds.ts";
import { usersFilter } from "../messages/items.ts";

export interface Part {
	kind: string;
	label: string;
	/** Tokens without and with pi-decant. */
	before: number;
	after: number;
}

/** The core's label for what it only knows from a bill. */
const UNSEEN = "not in the log";

export const keyOf = ({ kind, label }: { kind: string; label: string }) => `${kind} ${label}`;

/** A part in words. */
export function nameOf({ kind, label }: { kind: string; label: string }): string {
	if (label === UNSEEN) return "System prompt and tools, not in the log";
	return label === kind || label === "" || label === kindName(kind) ? kindName(kind) : `${kindName(kind)}: ${label}`;
}

/** Every part of either side, the largest first. What was saved is no part, but the difference of the sides. */
export function partsOf({ mapBefore, map }: Outline): Part[] {
	const parts = new Map<string, Part>();
	const part = (of: MapPart) => {
		const known = parts.get(keyOf(of));
		if (known) return known;
		const fresh = { kind: of.kind, label: of.label, before: 0, after: 0 };
		parts.set(keyOf(of), fresh);
		return fresh;
	};
	for (const of of mapBefore) part(of).before += of.tokens;
	for (const of of map) if (of.kind !== "saved") part(of).after += of.tokens;
	return [...parts.values()].sort((a, b) => Math.max(b.before, b.after) - Math.max(a.before, a.after));
}

export const sumOf = (parts: readonly MapPart[]) =>
	parts.reduce((sum, { kind, tokens }) => sum + (kind === "saved" ? 0 : tokens), 0);

/** The filter that lists the messages a part consists of; undefined where no message of the log has it. */
export function filterOf({ kind, label }: { kind: string; label: string }, outline: Outline): string | undefined {
	if (label === UNSEEN) return undefined;
	if (kind === "user") return usersFilter(outline);
	// Stubs and summaries of ours stand where something changed; those of the session are messages of their own.
	if (kind === "results") return label === "stubs" ? "changed" : `toolResult ${label}`;
	if (kind === "summaries")
		return outline.changed.includes(1)
			? "changed"
			: outline.groups.find(({ role }) => kindOfRole(role) === "summaries")?.key;
	return { system: "system", tools: "system", saved: "changed" }[kind] ?? "assistant";
}
