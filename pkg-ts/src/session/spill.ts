import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CoreSession, Lookup, SpilledFile } from "../boundary.ts";
import type { SessionView } from "../host.ts";
import { sync } from "./sync.ts";
import type { EntryWriter } from "./write.ts";

/** A result that is to leave the context before it is ever sent. */
export interface SpillOrder {
	entryId: string;
	/** Names the occurrence, so that no two results share a file. */
	fileName: string;
}

/** What kept results from being spilled; they stay in the context then. */
export interface SpillTrouble {
	message: string;
	/** Another process writes to the session file. */
	shared: boolean;
}

/**
 * Writes the results' texts to files beside the session and makes them known in one entry, all before the next request.
 * Returns what went wrong: then nothing has changed, and what was written is gone again.
 */
export function spill(
	session: CoreSession,
	orders: readonly SpillOrder[],
	parts: { view: SessionView; writer: EntryWriter; lookup: Lookup },
): SpillTrouble | undefined {
	const { view, writer, lookup } = parts;
	const folder = blobFolder(view);
	if (folder === undefined) return undefined;
	const files: SpilledFile[] = [];
	try {
		for (const { entryId, fileName } of orders) {
			const text = textOf(lookup(entryId));
			if (text !== undefined) files.push(writeBlob(folder, entryId, fileName, text));
		}
	} catch (error) {
		remove(files);
		return { message: error instanceof Error ? error.message : String(error), shared: false };
	}
	const draft = files.length > 0 ? session.commitSpill(files, lookup) : undefined;
	if (!draft) {
		remove(files);
		return undefined;
	}
	const written = writer.write(view, draft);
	if (!written.ok) {
		remove(files);
		return { message: written.message, shared: written.shared };
	}
	sync(session, view);
	return undefined;
}

/** `<sessionDir>/<sessionId>-blobs`; nowhere for a session that is in memory only. */
function blobFolder(view: SessionView): string | undefined {
	if (view.getSessionFile() === undefined) return undefined;
	return join(view.getSessionDir(), `${view.getSessionId()}-blobs`);
}

/** Whole or not at all: a reader never meets half a file. Only the user may read it, like the session itself. */
function writeBlob(folder: string, entryId: string, fileName: string, text: string): SpilledFile {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const path = join(folder, fileName);
	const temporary = `${path}.${process.pid}.tmp`;
	const bytes = Buffer.from(text, "utf8");
	try {
		writeFileSync(temporary, bytes, { mode: 0o600 });
		renameSync(temporary, path);
	} catch (error) {
		rmSync(temporary, { force: true });
		throw error;
	}
	return { entryId, path, bytes: bytes.length };
}

function remove(files: readonly SpilledFile[]): void {
	for (const { path } of files) {
		try {
			rmSync(path, { force: true });
		} catch {
			// A file nobody refers to does no harm.
		}
	}
}

/** Text blocks of a tool result, joined by a newline: what the core measures. */
function textOf(entry: object | undefined): string | undefined {
	if (!entry || !("message" in entry)) return undefined;
	const { content } = entry.message as { content?: unknown };
	if (!Array.isArray(content)) return undefined;
	return (content as { type?: unknown; text?: unknown }[])
		.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
		.join("\n");
}
