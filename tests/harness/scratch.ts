// Folders for a while: gone when the test says so, or with the process, however that ends.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Scratch {
	path: string;
	/** Called before the folder goes: whoever might still write into it is ended here. */
	before(end: () => void): void;
	/** May be called more than once. */
	remove(): void;
}

const there = new Set<Scratch>();

/** A new folder whose name begins with `prefix`. */
export function scratch(prefix: string): Scratch {
	const path = mkdtempSync(join(tmpdir(), prefix));
	const ends: (() => void)[] = [];
	const made: Scratch = {
		path,
		before: (end) => void ends.push(end),
		remove() {
			for (const end of ends.splice(0)) end();
			// Tried again for a process that was in the middle of a write.
			rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
			there.delete(made);
		},
	};
	there.add(made);
	return made;
}

process.on("exit", () => {
	for (const each of [...there]) each.remove();
});
// A signal ends the process without its exit event, unless somebody exits on it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));
