import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** Where a line for the user goes. */
export type Speaker = Pick<ExtensionContext, "hasUI" | "ui">;

/**
 * Tells the user something: as a notification where pi has a screen or an RPC client, else on stderr. In print and
 * JSON mode pi ignores notifications and keeps stdout for the model's answer; it sends what extensions print to stderr.
 *
 * Never throws: a context goes stale when its session is replaced, and a line is not worth a failure.
 */
export function say(to: Speaker | undefined, line: string, level: "info" | "warning" | "error" = "info"): void {
	try {
		if (to?.hasUI) to.ui.notify(line, level);
		else if (to) process.stderr.write(`${line}\n`);
	} catch {
		// Nobody is listening any more.
	}
}
