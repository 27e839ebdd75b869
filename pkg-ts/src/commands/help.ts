import type { Subcommand } from "./subcommand.ts";

/** The usage text, 80 columns wide at most. */
export function help(subcommands: readonly Pick<Subcommand, "name" | "usage" | "summary">[]): string {
	const heads = subcommands.map(({ name, usage }) => (usage ? `${name} ${usage}` : name));
	const width = Math.min(30, Math.max(...heads.map((head) => head.length)));
	const rows = subcommands.map(({ summary }, at) => `  ${(heads[at] ?? "").padEnd(width)}  ${summary}`);
	return [
		"pi-decant replaces finished tool output by summaries; the model gets originals",
		"back with context_tree_query. Usage: /pruner, or /pruner and one of",
		...rows,
	].join("\n");
}
