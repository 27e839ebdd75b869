import { say } from "../ui/say.ts";
import type { Call, Subcommand } from "./subcommand.ts";

export const on: Subcommand = {
	name: "on",
	summary: "switch pruning on",
	run: (call) => set(call, true, "pi-decant: pruning is on. Finished tool output is summarized after each reply."),
};

export const off: Subcommand = {
	name: "off",
	summary: "switch pruning off",
	run: (call) =>
		set(call, false, "pi-decant: pruning is off. The model sees everything again from the next request on."),
};

function set({ control, ctx }: Call, enabled: boolean, line: string): void {
	const problem = control.change({ enabled }, ctx);
	if (problem === undefined) say(ctx, line);
	else say(ctx, `${line} For this session only: ${problem}.`, "warning");
}
