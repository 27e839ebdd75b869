// The rows of the core's schema, in groups that can be read.

import type { SettingRow } from "../core/types.ts";

export interface Group {
	name: string;
	rows: SettingRow[];
}

const nested: Record<string, string> = {
	chainCompression: "Blocks of finished prompts",
	purgeErrors: "Arguments of failed calls",
	thinkingStrip: "Old thinking",
};

const flat: [RegExp, string][] = [
	[/^summarizer/, "Summarizer"],
	[/^protected/, "Protected"],
	[/^spill/, "Large results"],
	[/[bB]udget/, "Budget"],
	[/./, "Pruning"],
];

const groupOf = (key: string) => {
	const [first = "", inner] = key.split(".");
	if (inner !== undefined) return nested[first] ?? first;
	return flat.find(([pattern]) => pattern.test(key))?.[1] ?? "";
};

/** In the order in which the schema first names each group. */
export function groupsOf(rows: readonly SettingRow[]): Group[] {
	const groups = new Map<string, SettingRow[]>();
	for (const row of rows) {
		const name = groupOf(row.key);
		groups.set(name, [...(groups.get(name) ?? []), row]);
	}
	return [...groups].map(([name, grouped]) => ({ name, rows: grouped }));
}

/** What only the replay is told, under `replay` in the same object; pi does not know it, and the export leaves it out. */
export const replayGroup: Group = {
	name: "This replay",
	rows: [
		{
			key: "replay.asRecorded",
			kind: "boolean",
			default: false,
			nullable: false,
			help: "Show what a pruner decided when the session was made, and decide nothing anew.",
		},
		{
			key: "replay.contextWindow",
			kind: "count",
			default: null,
			nullable: true,
			help: "Window of the model, in tokens; empty: as the model's maker says.",
		},
		{
			key: "replay.cacheLifetimeMs",
			kind: "count",
			default: null,
			nullable: true,
			help: "How long the provider's cache keeps a request, ms; empty: as the provider says.",
		},
	],
};
