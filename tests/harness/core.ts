// The core as the package ships it, for what a test wants to know of it directly.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageDir, requireBuild } from "./paths.ts";

interface Glue {
	initSync(options: { module: Uint8Array }): unknown;
	settingsSchema(): { key: string; kind: string; default: unknown }[];
}

/** Every setting there is. */
export async function settingsSchema(): Promise<ReturnType<Glue["settingsSchema"]>> {
	requireBuild();
	const glue = (await import(pathToFileURL(join(packageDir, "wasm", "decant.js")).href)) as Glue;
	glue.initSync({ module: readFileSync(join(packageDir, "dist", "decant_bg.wasm")) });
	return glue.settingsSchema();
}
