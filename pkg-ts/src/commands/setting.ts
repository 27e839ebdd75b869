import type { SettingRow } from "../settings/schema.ts";
import { DEFAULT, formatValue } from "../settings/values.ts";
import { pick } from "../ui/picker.ts";
import { say } from "../ui/say.ts";
import { changeFromText } from "./change.ts";
import type { PrunerControl } from "./control.ts";
import type { Call, Completion, Subcommand } from "./subcommand.ts";

/** Short enough for help at 80 columns; a setting that is not here is described by its own help. */
const SUMMARIES: Readonly<Record<string, string>> = {
	thinking: "thinking level of the summarizer",
	"prune-on": "prune after each reply, or on demand",
	batching: "a summary a turn, or one a prompt",
	"min-batch-chars": "leave smaller batches as they are",
	"recovery-grace": "prompts for which a recalled output stays",
	dedup: "do not summarize the same output twice",
	spill: "put results of this size into files at once",
};

/** The subcommand that shows and sets one setting. */
export function settingCommand(row: SettingRow, name: string): Subcommand {
	return {
		name,
		usage: usageOf(row),
		summary: SUMMARIES[name] ?? row.help.replace(/\.$/, ""),
		run: (call) => setOrShow(call, row),
		complete: (control, typed) => valuesFrom(control, row, typed),
	};
}

/** The values of a setting that begin with what is typed. */
export function valuesFrom(control: PrunerControl, row: SettingRow, typed: string): Completion[] {
	const now = formatValue(row, control.settings().value(row.key));
	return wordsOf(row)
		.filter((word) => word.startsWith(typed))
		.map((value) => (value === now ? { value, description: "as it is now" } : { value }));
}

async function setOrShow(call: Call, row: SettingRow): Promise<void> {
	const { args, control, ctx } = call;
	const wish = args === "" || (row.kind === "boolean" && args === "status") ? await chosen(call, row) : args;
	if (wish === undefined) {
		say(ctx, `pi-decant: ${shown(call, row)}`);
		return;
	}
	const { text, level } = changeFromText(control, ctx, row, wish);
	say(ctx, `pi-decant: ${text}`, level);
}

/** What the user picks from a list, where there are values to pick from and a screen to show them on. */
function chosen(call: Call, row: SettingRow): Promise<string | undefined> {
	if (row.kind !== "choice" || !row.choices) return Promise.resolve(undefined);
	return pick(call, row.help.replace(/\.$/, ""), {
		items: row.choices.map((value) => ({ value, label: value })),
		current: String(call.control.settings().value(row.key)),
	});
}

function shown({ control }: Call, row: SettingRow): string {
	const words = wordsOf(row);
	const how =
		words.length > 0 && row.kind !== "count" && row.kind !== "fraction" ? ` Possible: ${words.join(", ")}.` : "";
	return `${row.key} is ${formatValue(row, control.settings().value(row.key))}. ${helpOf(row)}${how}`;
}

/** What a setting means. The core's sentence for a switch says what being on does: beside "off" it would mislead. */
export function helpOf({ kind, help }: SettingRow): string {
	return kind === "boolean" ? `On means: ${help.charAt(0).toLowerCase()}${help.slice(1)}` : help;
}

/** What completion offers. */
function wordsOf(row: SettingRow): string[] {
	switch (row.kind) {
		case "boolean":
			return ["on", "off"];
		case "choice":
			return row.choices ?? [];
		case "count":
		case "fraction":
			return [...(row.nullable ? [formatValue(row, null)] : []), ...(row.presets ?? []).map(String), DEFAULT];
		default:
			return [];
	}
}

function usageOf(row: SettingRow): string {
	const none = row.nullable ? `|${formatValue(row, null)}` : "";
	switch (row.kind) {
		case "boolean":
			return "[on|off]";
		case "count":
			return `[n${none}]`;
		case "fraction":
			return `[share${none}]`;
		case "choice":
			return row.key === "summarizerThinking" ? "[level]" : "[mode]";
		default:
			return "[value]";
	}
}

/** Completions for a command whose argument is one of a few words. */
export function wordsFrom(words: readonly Completion[], typed: string): Completion[] {
	return words.filter(({ value }) => value.startsWith(typed));
}
