import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Report } from "../boundary.ts";
import { say } from "../ui/say.ts";
import { type Activity, STATUS_KEY, statusLine } from "../ui/status-line.ts";

type Level = "info" | "warning" | "error";

/** What one session tells its user, through the newest context pi gave us. */
export class Voice {
	readonly #said = new Set<string>();
	#statusShown = false;
	/** The newest context; for work that outlives its event. */
	ctx: ExtensionContext | undefined;

	/** Shown each time. */
	say(line: string, level: Level = "info"): void {
		say(this.ctx, line, level);
	}

	/** The same trouble is told once a session. */
	sayOnce(line: string, level: Level): void {
		if (this.#said.has(line)) return;
		this.#said.add(line);
		say(this.ctx, line, level);
	}

	/** Shows a report in pi's status line; `undefined` shows nothing. */
	showStatus(report: (ctx: ExtensionContext) => Report | undefined, activity: () => Activity): void {
		try {
			const { ctx } = this;
			if (!ctx?.hasUI) return;
			const now = report(ctx);
			const line = now && statusLine(now, activity());
			ctx.ui.setStatus(STATUS_KEY, line);
			this.#statusShown = line !== undefined;
		} catch {
			// The session was replaced while a flush was in flight.
		}
	}

	/** The key is the original's as well: only what we have shown is ours to clear. */
	clearStatus(): void {
		if (this.#statusShown) this.ctx?.ui.setStatus(STATUS_KEY, undefined);
		this.#statusShown = false;
	}
}
