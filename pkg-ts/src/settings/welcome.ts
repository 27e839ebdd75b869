import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Remembers that the user has been told that pruning is on.
 *
 * A file of our own in the agent directory, not a key in settings.json: that file is the user's, is often kept in a
 * dotfiles repository, and is written only when the user changes a setting. If the note cannot be kept, the line comes
 * again, which does no harm.
 */
export class WelcomeNote {
	readonly #path: string;

	constructor(agentDir: string) {
		this.#path = join(agentDir, "pi-decant-welcomed");
	}

	/** Whether this is the first time; from then on it is not. */
	isFirst(): boolean {
		if (existsSync(this.#path)) return false;
		try {
			writeFileSync(this.#path, "pi-decant has introduced itself. Delete this file to see the line again.\n", {
				flag: "wx",
			});
		} catch {
			// A read-only agent directory, or another pi was faster.
		}
		return true;
	}
}
