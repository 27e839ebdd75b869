// Text kept beside the tests: what a screen looks like. UPDATE_SNAPSHOTS=1 writes it anew, for the diff to be read.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What is kept of that name; a missing file is undefined. */
export function snapshot(folder: URL, name: string): string | undefined {
	const path = join(fileURLToPath(folder), `${name}.txt`);
	return existsSync(path) ? readFileSync(path, "utf8").replace(/\n$/, "") : undefined;
}

/** Compares `text` with `<folder>/<name>.txt`; a missing file is a failure, too. */
export function assertSnapshot(folder: URL, name: string, text: string): void {
	const path = join(fileURLToPath(folder), `${name}.txt`);
	if (process.env.UPDATE_SNAPSHOTS) {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, `${text}\n`);
		return;
	}
	assert.equal(text, snapshot(folder, name), `${name}: as in ${path}`);
}
