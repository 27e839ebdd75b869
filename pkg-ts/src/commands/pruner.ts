import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { COMMAND_DESCRIPTION, COMMAND_NAME } from "../tools/claim.ts";
import { say } from "../ui/say.ts";
import type { PrunerControl } from "./control.ts";
import { help } from "./help.ts";
import { now } from "./now.ts";
import { off, on } from "./on-off.ts";
import { status } from "./status.ts";

/** One word after `/pruner`. */
export interface Subcommand {
	name: string;
	/** One line for help and completion. */
	summary: string;
	run(control: PrunerControl, ctx: ExtensionCommandContext, args: string): Promise<void> | void;
}

const SUBCOMMANDS: readonly Subcommand[] = [on, off, status, now];

const HELP: Subcommand = {
	name: "help",
	summary: "show this list",
	run: (_control, ctx) => say(ctx, help([...SUBCOMMANDS, HELP])),
};

const ALL: readonly Subcommand[] = [...SUBCOMMANDS, HELP];

/** Registers `/pruner`. Without a word it shows the status. */
export function registerPruner(pi: Pick<ExtensionAPI, "registerCommand">, control: PrunerControl): void {
	pi.registerCommand(COMMAND_NAME, {
		description: COMMAND_DESCRIPTION,
		getArgumentCompletions: (prefix) => {
			const found = ALL.filter(({ name }) => name.startsWith(prefix.trimStart()));
			return found.length === 0
				? null
				: found.map(({ name, summary }) => ({ value: name, label: name, description: summary }));
		},
		handler: async (args, ctx) => {
			const [name = "", ...rest] = args.trim().split(/\s+/);
			const subcommand = ALL.find((candidate) => candidate.name === (name === "" ? "status" : name));
			if (subcommand) await subcommand.run(control, ctx, rest.join(" "));
			else say(ctx, `Unknown subcommand: "${name}". Run /pruner help for usage.`, "warning");
		},
	});
}
