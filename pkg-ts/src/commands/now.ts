import { flushLine } from "../ui/flush-line.ts";
import { say } from "../ui/say.ts";
import type { Subcommand } from "./pruner.ts";

export const now: Subcommand = {
	name: "now",
	summary: "summarize finished tool output now",
	run: async (control, ctx) => {
		if (!control.config().enabled) {
			say(ctx, "pi-decant: pruning is off; switch it on with /pruner on.", "warning");
			return;
		}
		const line = flushLine(await control.flush(ctx));
		say(ctx, line.text, line.level);
	},
};
