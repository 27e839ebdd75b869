import type { Entry, Lookup } from "../boundary.ts";
import type { SessionView } from "../host.ts";

type Replacement = { content: unknown } | null;

/**
 * Gives entries as the branch shows them: with the newest `context_edit` honoured.
 *
 * `getEntry` alone gives the raw text even where another extension has replaced it, so that a redaction would leak
 * into summaries and recoveries (observed). An entry that was edited away is `undefined`.
 *
 * Made for one operation: the edits are read once, at the first look-up. Never throws, since it is called from inside
 * the core.
 */
export function branchLookup(view: SessionView): Lookup {
	let edits: Map<string, Replacement> | undefined;
	return (entryId) => {
		try {
			edits ??= editsOf(view);
			const entry = view.getEntry(entryId);
			const edit = edits.get(entryId);
			if (!entry || edit === undefined) return entry;
			return edit === null ? undefined : edited(entry, edit.content);
		} catch {
			return undefined;
		}
	};
}

function editsOf(view: SessionView): Map<string, Replacement> {
	const edits = new Map<string, Replacement>();
	for (const entry of view.getBranch()) {
		if (entry.type === "context_edit") edits.set(entry.targetId, entry.replacement);
	}
	return edits;
}

/** As pi projects it: role and metadata stay; a string becomes one text block where the role has no string content. */
function edited(entry: Entry, content: unknown): Entry {
	if (!("message" in entry)) return { ...entry, content };
	const message = entry.message as { role?: unknown };
	const blocks = message.role === "assistant" || message.role === "toolResult";
	const text = typeof content === "string" && blocks ? [{ type: "text", text: content }] : content;
	return { ...entry, message: { ...message, content: text } };
}
