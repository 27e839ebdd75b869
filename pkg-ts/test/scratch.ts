import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];

/** A new folder, gone when the test file's process ends. */
export function scratch(): string {
	const path = mkdtempSync(join(tmpdir(), "decant-unit-"));
	made.push(path);
	return path;
}

process.on("exit", () => {
	for (const path of made) rmSync(path, { recursive: true, force: true });
});
// A signal ends the process without its exit event, unless somebody exits on it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));
