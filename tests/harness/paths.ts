// Where things are: the repository, the package under test, pi and the node that runs it.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const repositoryRoot = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** The npm package under test: as it stands in the working tree, or where `PI_DECANT_PACKAGE` says (to test the tests). */
export const packageDir = process.env.PI_DECANT_PACKAGE ?? join(repositoryRoot, "pkg-ts");

/** What pi is given with `-e`: the same entry the `pi` manifest names. */
export const extensionEntry = join(packageDir, "index.ts");

/** `node_modules` that holds pi 1.6.0 and a node new enough for it; `PI_DECANT_NODE_MODULES` overrides. */
export const nodeModules = process.env.PI_DECANT_NODE_MODULES ?? join(repositoryRoot, "node_modules");

export const piPackageDir = join(nodeModules, "@earendil-works", "pi-coding-agent");
export const piAiDir = join(nodeModules, "@earendil-works", "pi-ai");
export const piCli = join(piPackageDir, "dist", "bundle", "cli.js");

/** The tests themselves run on a node pi accepts (>= 22.19), so pi gets the same one. */
export const nodeBinary = process.execPath;

/** Material that is on the project's own machines only. Tests that use it skip, saying so, where it is missing. */
export const sharedDir = process.env.PI_DECANT_SHARED ?? join(repositoryRoot, "..", "shared");

export function sharedCase(name: string): string | undefined {
	const path = join(sharedDir, "cases", name);
	return existsSync(path) ? path : undefined;
}

/** A test of the extension without a build must fail, not pass by skipping. */
export function requireBuild(): void {
	for (const path of [
		extensionEntry,
		join(packageDir, "dist", "bundle.js"),
		join(packageDir, "dist", "decant_bg.wasm"),
	])
		if (!existsSync(path)) throw new Error(`${path} is missing: run \`cargo xtask build\` first`);
}
