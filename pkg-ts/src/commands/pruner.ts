import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import type { AutocompleteItem } from "@earendil-works/pi-tui";
import type { Host } from "../host.ts";
import { COMMAND_DESCRIPTION, COMMAND_NAME } from "../tools/claim.ts";
import { registerEpochRenderer } from "../ui/epoch-entry.ts";
import { pick } from "../ui/picker.ts";
import { say } from "../ui/say.ts";
import { subcommands } from "./all.ts";
import type { PrunerControl } from "./control.ts";
import type { Subcommand } from "./subcommand.ts";

/** Registers `/pruner` and the look of our entries in the transcript. */
export function registerPruner(
	pi: Pick<ExtensionAPI, "registerCommand" | "registerEntryRenderer" | "getAllTools">,
	control: PrunerControl,
	host: Host,
): void {
	const all = () => subcommands(control, () => pi.getAllTools().map(({ name }) => name));
	registerEpochRenderer(pi, host);
	pi.registerCommand(COMMAND_NAME, {
		description: COMMAND_DESCRIPTION,
		getArgumentCompletions: (prefix) => completions(all(), control, prefix),
		handler: (args, ctx) => run({ control, host, ctx }, args.trim(), all()),
	});
}

/** One call of the command. Without a word: a list to choose from, or the status where nothing can be drawn. */
async function run(
	call: { control: PrunerControl; host: Host; ctx: ExtensionCommandContext },
	text: string,
	all: readonly Subcommand[],
): Promise<void> {
	const line = text === "" ? await chosen(call, all) : text;
	if (line === undefined) return;
	const [name = ""] = line.split(/\s/, 1);
	const args = line.slice(name.length).trim();
	const subcommand = all.find((each) => each.name === name);
	if (!subcommand) {
		say(call.ctx, `pi-decant: there is no /pruner ${name}. /pruner help lists what there is.`, "warning");
	} else if (args !== "" && subcommand.usage === undefined) {
		say(call.ctx, `pi-decant: /pruner ${name} takes no argument; nothing was done.`, "warning");
	} else {
		await subcommand.run({ ...call, args });
	}
}

async function chosen(
	call: { host: Host; ctx: ExtensionCommandContext },
	all: readonly Subcommand[],
): Promise<string | undefined> {
	if (call.ctx.mode !== "tui") return "status";
	const items = all.map(({ name, summary }) => ({ value: name, label: name, description: summary }));
	return pick(call, "pi-decant", { items });
}

/** What can follow `prefix`, as whole arguments; null where there is nothing, so that Enter runs what is typed. */
export function completions(
	all: readonly Subcommand[],
	control: PrunerControl,
	prefix: string,
): AutocompleteItem[] | null {
	const typed = prefix.trimStart();
	const [, name, rest] = /^(\S+)\s+(.*)$/s.exec(typed) ?? [];
	const found = name === undefined || rest === undefined ? names(all, typed) : continuations(all, control, name, rest);
	// Enter takes the first: what is typed in full must not become something longer, as t1 would become t12.
	const isTyped = ({ value }: AutocompleteItem) => value.trim() === typed.trim();
	const [first, ...others] = [...found.filter(isTyped), ...found.filter((item) => !isTyped(item))];
	return first === undefined || (others.length === 0 && isTyped(first)) ? null : [first, ...others];
}

function names(all: readonly Subcommand[], typed: string): AutocompleteItem[] {
	return all
		.filter(({ name }) => name.startsWith(typed))
		.map(({ name, summary, complete }) => ({
			value: complete ? `${name} ` : name,
			label: name,
			description: summary,
		}));
}

function continuations(
	all: readonly Subcommand[],
	control: PrunerControl,
	name: string,
	rest: string,
): AutocompleteItem[] {
	const found = all.find((each) => each.name === name)?.complete?.(control, rest) ?? [];
	return found.map(({ value, description }) => ({
		value: `${name} ${value}`,
		label: value.trim(),
		...(description === undefined ? {} : { description }),
	}));
}
