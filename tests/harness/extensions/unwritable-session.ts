// A test's own extension: the session cannot be written while a finished turn is being worked up, as on a disk that is
// full for a moment. A directory in the file's place works for root too, which no file mode does.

import { mkdirSync, renameSync, rmdirSync } from "node:fs";

interface Context {
	sessionManager: { getSessionFile(): string | undefined };
}

interface TurnEnd {
	toolResultEntryIds: string[];
}

interface Api {
	on(event: "turn_end", handler: (event: TurnEnd, ctx: Context) => void): void;
	on(event: "agent_settled", handler: (event: unknown, ctx: Context) => void): void;
}

/** Must be loaded before the extension under test: handlers run in load order. */
export default function unwritableSession(pi: Api): void {
	let hidden: string | undefined;
	pi.on("turn_end", (event, ctx) => {
		const file = ctx.sessionManager.getSessionFile();
		if (event.toolResultEntryIds.length > 0 || !file || hidden) return;
		renameSync(file, `${file}.aside`);
		mkdirSync(file);
		hidden = file;
	});
	pi.on("agent_settled", () => {
		if (!hidden) return;
		rmdirSync(hidden);
		renameSync(`${hidden}.aside`, hidden);
		hidden = undefined;
	});
}
