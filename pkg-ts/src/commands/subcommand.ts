import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import type { Host } from "../host.ts";
import type { PrunerControl } from "./control.ts";

/** One call of `/pruner`. */
export interface Call {
	control: PrunerControl;
	ctx: ExtensionCommandContext;
	host: Host;
	/** What stands after the subcommand, without white space around it. */
	args: string;
}

/** One word after `/pruner`. */
export interface Subcommand {
	name: string;
	/** What may follow it, as in `[on|off]`. */
	usage?: string;
	/** One line for help and completion. */
	summary: string;
	run(call: Call): Promise<void> | void;
	/** What could follow, given what is typed of it; `control` tells what there is at the moment. */
	complete?(control: PrunerControl, typed: string): Completion[];
}

/** One way to go on. */
export interface Completion {
	/** All that stands after the subcommand then. */
	value: string;
	description?: string;
}
