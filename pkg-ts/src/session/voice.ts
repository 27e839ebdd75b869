import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Report } from "../boundary.ts";
import type { CoreFailure } from "../core.ts";
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

	/** Tells of an internal error, and of the one after which no other is tried. */
	sayFailure({ doing, message }: CoreFailure, givenUp: boolean): void {
		const line = givenUp
			? "pi-decant: too many internal errors; it leaves this session alone. Details: /pruner status."
			: `pi-decant: internal error while ${doing} (${message}). pi goes on with the full context; details: /pruner status.`;
		this.sayOnce(line, "error");
	}

	/** Shows a report in pi's status line, or why there is none; nothing where that is not wanted. */
	showStatus(isWanted: boolean, report: (ctx: ExtensionContext) => Report | undefined, activity: () => Activity): void {
		try {
			const { ctx } = this;
			if (!ctx?.hasUI) return;
			// First the report: where it fails, that may be the failure after which the core is given up.
			const now = isWanted ? report(ctx) : undefined;
			const line = isWanted ? statusLine(now, activity()) : undefined;
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
