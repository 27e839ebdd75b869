import { compactLine } from "../ui/flush-line.ts";
import { say } from "../ui/say.ts";
import { flushFor } from "./now.ts";
import type { Call, Subcommand } from "./subcommand.ts";

export const compact: Subcommand = {
	name: "compact",
	summary: "make one short text of each finished task now",
	run: compactNow,
};

async function compactNow(call: Call): Promise<void> {
	if (call.control.config().chainCompression.enabled) return flushFor(call, "compact", compactLine);
	say(
		call.ctx,
		"pi-decant: blocks are off, so nothing would be shown as one; switch them on with /pruner settings chainCompression.enabled on.",
		"warning",
	);
}
