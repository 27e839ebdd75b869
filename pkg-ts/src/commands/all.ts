import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { SettingRow } from "../settings/schema.ts";
import { say } from "../ui/say.ts";
import { compact } from "./compact.ts";
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
const OWN: readonly Subcommand[] = [on, off, status, stats, now, compact, tree, settings, model];

/**
 * Every subcommand, in the order of help and picker: one for each setting for which the core names one, too.
 *
 * `tools` are the names of the tools that pi has.
 */
export function subcommands(control: PrunerControl, tools: () => string[]): Subcommand[] {
	const own = new Set([...OWN.map(({ name }) => name), "help"]);
	const rows = control.settings().rows.filter(({ command }) => command !== undefined && !own.has(command));
	const all = [...OWN, ...rows.map((row) => forSetting(row, row.command ?? row.key, tools))];
	const helping: Subcommand = {
		name: "help",
		summary: "this list",
		run: ({ ctx }) => say(ctx, help(all, columnsOf(ctx))),
	};
	all.push(helping);
	return all;
}

/** The width of the screen that a text is for; as wide as most where there is none. */
function columnsOf(ctx: ExtensionContext): number {
	return (ctx.mode === "tui" ? process.stdout.columns : undefined) ?? 80;
}

function forSetting(row: SettingRow, name: string, tools: () => string[]): Subcommand {
	if (row.kind !== "list") return settingCommand(row, name);
	if (name === "protected-tools") {
		const words = {
			noun: "tool",
			summary: "tools whose output is never pruned",
			effect: "their output is never pruned",
		};
		return listCommand(row, { name, ...words }, tools);
	}
	const words = {
		noun: "path",
		summary: "files that are never pruned, as globs",
		effect: "what was read from them is never pruned",
	};
	return listCommand(row, { name, ...words }, () => []);
}
