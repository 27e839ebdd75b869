import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import type { SessionView } from "../host.ts";

/** Bytes read at once when looking for the beginning of the last line. */
const STEP = 64 * 1024;

const NEWLINE = 0x0a;

/** Nothing of the file was looked at: its last line comes first. */
const UNREAD = -1;

/**
 * Tells whether another process appends to the session file. pi takes no lock and reads the file only once, so two of
 * them on one file do not see each other's lines; each goes on from its own leaf (report 78).
 *
 * Looks at what was added to the file since it last looked, which is as much as this process has written: every line
 * must be one pi has in memory. No clock and no sizes are compared, since pi rewrites files of older versions, repairs
 * a missing last newline, and a line may be serialized differently later.
 */
export class OtherWriters {
	#file: string | undefined;
	/** Bytes of the file that are known; the beginning of a line. */
	#known = 0;
	#seen = false;

	/** pi has just read the file: starts over, from the last line on. */
	begin(view: SessionView): void {
		this.#seen = false;
		this.#file = undefined;
		this.seen(view);
	}

	/** Whether a line stands in the file that this process has not written. Stays true until `begin`. */
	seen(view: SessionView): boolean {
		const file = view.getSessionFile();
		if (file === undefined) return false;
		if (file !== this.#file) {
			this.#file = file;
			// All of a file that is not there yet will be this process's; of one that is, pi has just read what stands there.
			this.#known = existsSync(file) ? UNREAD : 0;
			this.#seen = false;
		}
		if (!this.#seen) this.#seen = withFile(file, (fd) => this.#hasForeignLine(fd, view)) ?? false;
		return this.#seen;
	}

	#hasForeignLine(fd: number, view: SessionView): boolean {
		const { size } = fstatSync(fd);
		if (this.#known === UNREAD) this.#known = startOfLastLine(fd, size);
		// Shorter than it was: written anew, by pi or by someone else. All of it counts.
		if (size < this.#known) this.#known = 0;
		const added = read(fd, this.#known, size);
		let start = 0;
		for (let end = added.indexOf(NEWLINE); end >= 0; end = added.indexOf(NEWLINE, start)) {
			const id = entryId(added.subarray(start, end));
			if (id !== undefined && view.getEntry(id) === undefined) return true;
			start = end + 1;
		}
		// A line without its end is being written; it is looked at next time.
		this.#known += start;
		return false;
	}
}

/** `undefined` where the file is not there yet or cannot be read. */
function withFile<T>(file: string, work: (fd: number) => T): T | undefined {
	let fd: number | undefined;
	try {
		fd = openSync(file, "r");
		return work(fd);
	} catch {
		return undefined;
	} finally {
		if (fd !== undefined) closeSync(fd);
	}
}

function read(fd: number, from: number, to: number): Buffer {
	const bytes = Buffer.alloc(Math.max(0, to - from));
	return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from));
}

function startOfLastLine(fd: number, size: number): number {
	// The newline at the end belongs to the last line.
	for (let to = size - 1; to > 0; to -= STEP) {
		const from = Math.max(0, to - STEP);
		const newline = read(fd, from, to).lastIndexOf(NEWLINE);
		if (newline >= 0) return from + newline + 1;
	}
	return 0;
}

/** The id of the entry on a line; `undefined` for the header and for what is no entry. */
function entryId(line: Buffer): string | undefined {
	// Most lines begin with type and id; those need not be parsed, and may be megabytes long.
	const begin = /^\{"type":"([a-z_]+)","id":"([^"\\]+)"/.exec(line.toString("latin1", 0, 200));
	if (begin) return begin[1] === "session" ? undefined : begin[2];
	try {
		const entry: unknown = JSON.parse(line.toString("utf8"));
		if (typeof entry !== "object" || entry === null || !("id" in entry) || !("type" in entry)) return undefined;
		return entry.type !== "session" && typeof entry.id === "string" ? entry.id : undefined;
	} catch {
		return undefined;
	}
}
