import type { SettingRow } from "../settings/schema.ts";
import { say } from "../ui/say.ts";
import type { PrunerControl } from "./control.ts";
import { help } from "./help.ts";
import { listCommand } from "./list.ts";
import { model } from "./model.ts";
import { now } from "./now.ts";
import { off, on } from "./on-off.ts";
import { settingCommand } from "./setting.ts";
import { settings } from "./settings.ts";
import { stats } from "./stats.ts";
import { status } from "./status.ts";
import type { Subcommand } from "./subcommand.ts";
import { tree } from "./tree.ts";

/** Commands that are more than the value of one setting. */
const OWN: readonly Subcommand[] = [on, off, status, stats, now, tree, settings, model];

const HELP: Subcommand = {
	name: "help",
	summary: "this list",
	run: ({ control, ctx }) => say(ctx, help(subcommands(control))),
};

/** Every subcommand, in the order of help and picker: one for each setting for which the core names one, too. */
export function subcommands(control: PrunerControl): Subcommand[] {
	const own = new Set([...OWN, HELP].map(({ name }) => name));
	const rows = control.settings().rows.filter(({ command }) => command !== undefined && !own.has(command));
	return [...OWN, ...rows.map((row) => forSetting(row, row.command ?? row.key)), HELP];
}

function forSetting(row: SettingRow, name: string): Subcommand {
	if (row.kind !== "list") return settingCommand(row, name);
	const tools = name === "protected-tools";
	const words = tools
		? { name, noun: "tool", summary: "tools whose output is never pruned", effect: "their output is never pruned" }
		: {
				name,
				noun: "path",
				summary: "files that are never pruned, as globs",
				effect: "what was read from them is never pruned",
			};
	return listCommand(row, words, (control) => (tools ? usedTools(control) : []));
}

/** The tools that have been pruned on this branch. */
function usedTools(control: PrunerControl): string[] {
	const ctx = control.context();
	const epochs = (ctx && control.tree(ctx)) ?? [];
	return [
		...new Set(epochs.flatMap(({ batches }) => batches.flatMap(({ results }) => results.map(({ tool }) => tool)))),
	].sort();
}
