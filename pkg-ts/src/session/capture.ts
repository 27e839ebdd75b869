import type { TurnEndEvent } from "@earendil-works/pi-coding-agent";
import type { CoreSession } from "../boundary.ts";
import type { SessionView } from "../host.ts";
import { flushLine } from "../ui/flush-line.ts";
import { branchLookup } from "./lookup.ts";
import { type SpillTrouble, spill } from "./spill.ts";
import { sync } from "./sync.ts";
import type { EntryWriter } from "./write.ts";

/** What became of a turn's results. */
export interface Captured {
	/** Results that wait for a flush. */
	calls: number;
	/** What kept those that are too large for the context from being moved to files. */
	trouble?: SpillTrouble;
}

/** Takes up a finished turn's results, and moves those that are too large to files before they are ever sent. */
export function capture(
	session: CoreSession,
	event: Pick<TurnEndEvent, "messageEntryId" | "toolResultEntryIds">,
	view: SessionView,
	writer: EntryWriter,
): Captured {
	const lookup = branchLookup(view);
	sync(session, view);
	const turn = { assistantEntryId: event.messageEntryId, resultEntryIds: event.toolResultEntryIds };
	const captured = session.captureTurn(turn, lookup);
	const trouble = captured.spill.length > 0 ? spill(session, captured.spill, { view, writer, lookup }) : undefined;
	return { calls: captured.calls, ...(trouble ? { trouble } : {}) };
}

/** What to tell the user of it. */
export function spillLine(trouble: SpillTrouble): string {
	return trouble.shared
		? flushLine({ kind: "shared" }).text
		: `pi-decant: large tool output could not be moved to a file (${trouble.message}); it stays in the context.`;
}
