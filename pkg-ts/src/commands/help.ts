import type { Subcommand } from "./subcommand.ts";

/** Below so many columns a summary stands under its subcommand. */
const TABLE_COLUMNS = 72;

/** The usage text, 80 columns wide at most. */
export function help(
	subcommands: readonly Pick<Subcommand, "name" | "usage" | "summary">[],
	columns: number = 80,
): string {
	const heads = subcommands.map(({ name, usage }) => (usage ? `${name} ${usage}` : name));
	const width = Math.min(30, Math.max(...heads.map((head) => head.length)));
	const rows = subcommands.map(({ summary }, at) =>
		columns < TABLE_COLUMNS ? `${heads[at]}\n  ${summary}` : `  ${(heads[at] ?? "").padEnd(width)}  ${summary}`,
	);
	const intro = [
		"pi-decant replaces finished tool output by summaries; the model gets originals",
		"back with context_tree_query. Usage: /pruner, or /pruner and one of",
	];
	return [columns < TABLE_COLUMNS ? intro.join(" ") : intro.join("\n"), ...rows].join("\n");
}
