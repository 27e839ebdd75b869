import type { Subcommand } from "./pruner.ts";

/** The usage text. */
export function help(subcommands: readonly Pick<Subcommand, "name" | "summary">[]): string {
	const width = Math.max(...subcommands.map(({ name }) => name.length));
	const rows = subcommands.map(({ name, summary }) => `  /pruner ${name.padEnd(width)}  ${summary}`);
	return [
		"pi-decant replaces finished tool output by summaries; the model gets originals back with context_tree_query.",
		...rows,
	].join("\n");
}
