import type { FlushEnd, FlushTrigger } from "../flush/flusher.ts";
import { type FlushLine, flushLine } from "../ui/flush-line.ts";
import { showProgress } from "../ui/progress-widget.ts";
import { say } from "../ui/say.ts";
import type { Call, Subcommand } from "./subcommand.ts";

export const now: Subcommand = {
	name: "now",
	summary: "summarize finished tool output now",
	run: (call) => flushFor(call, "now", flushLine),
};

/** A flush that was asked for: watched, taken back with Esc, and told of by `lineOf`. */
export async function flushFor(
	{ control, ctx, host }: Call,
	trigger: FlushTrigger,
	lineOf: (end: FlushEnd) => FlushLine,
): Promise<void> {
	if (!control.config().enabled) {
		say(ctx, "pi-decant: pruning is off; switch it on with /pruner on.", "warning");
		return;
	}
	const progress = showProgress(ctx, host);
	try {
		const end = await control.flush(ctx, trigger, { progress: progress.view, signal: progress.signal });
		if (progress.signal.aborted && end.kind === "dropped") {
			say(ctx, "pi-decant: cancelled, nothing was changed. The next flush summarizes this output again.");
			return;
		}
		const line = lineOf(end);
		say(ctx, line.text, line.level);
	} finally {
		hide(progress);
	}
}

/** The session may have been replaced meanwhile; pi throws then, and has removed the widget itself. */
function hide(progress: { hide(): void }): void {
	try {
		progress.hide();
	} catch {
		// Nothing is left to hide.
	}
}
