import { closeSync, openSync, readSync, statSync, truncateSync } from "node:fs";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { EpochEntry } from "../boundary.ts";
import type { SessionView } from "../host.ts";
import type { OtherWriters } from "./other-writers.ts";

/** What became of an entry. `shared`: not tried, since another process writes to the file. */
export type Written = { ok: true; id: string } | { ok: false; shared: boolean; message: string };

/**
 * Appends entries of ours.
 *
 * A full disk, a read-only session or a session that was replaced meanwhile makes pi throw and take the entry back from
 * its memory; nothing has changed then.
 */
export class EntryWriter {
	readonly #pi: Pick<ExtensionAPI, "appendEntry">;
	readonly #others: Pick<OtherWriters, "seen">;

	constructor(pi: Pick<ExtensionAPI, "appendEntry">, others: Pick<OtherWriters, "seen">) {
		this.#pi = pi;
		this.#others = others;
	}

	write(view: SessionView, { customType, data }: EpochEntry): Written {
		if (this.#others.seen(view)) return failure("another process writes to the session file", true);
		const file = view.getSessionFile();
		const size = sizeOf(file);
		try {
			const before = view.getLeafId();
			this.#pi.appendEntry(customType, data);
			const id = view.getLeafId();
			return id === null || id === before ? failure("pi did not take the entry") : { ok: true, id };
		} catch (error) {
			cutTornLine(file, size);
			return failure(error instanceof Error ? error.message : String(error));
		}
	}
}

function failure(message: string, shared = false): Written {
	return { ok: false, shared, message };
}

/**
 * A disk that fills up takes the beginning of a line. pi leaves it there, and what it appends later is welded to it and
 * lost at the next load. Cut only where all that came is one unfinished line: anything else is not ours.
 */
function cutTornLine(file: string | undefined, size: number | undefined): void {
	if (file === undefined || size === undefined) return;
	const added = (sizeOf(file) ?? size) - size;
	if (added <= 0) return;
	try {
		const fd = openSync(file, "r");
		try {
			const line = Buffer.alloc(added);
			if (readSync(fd, line, 0, added, size) !== added || line.includes("\n")) return;
		} finally {
			closeSync(fd);
		}
		truncateSync(file, size);
	} catch {
		// As it would be without us.
	}
}

function sizeOf(file: string | undefined): number | undefined {
	if (file === undefined) return undefined;
	try {
		const stats = statSync(file, { throwIfNoEntry: false });
		return stats?.isFile() ? stats.size : undefined;
	} catch {
		return undefined;
	}
}
