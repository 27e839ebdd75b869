// The core as the package ships it, for what a test wants to know of it directly.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Core from "../../pkg-ts/wasm/decant.js";
import { packageDir, requireBuild } from "./paths.ts";

/** The generated glue with its wasm instantiated, once a process. */
export async function coreGlue(): Promise<typeof Core> {
	requireBuild();
	const glue = (await import(pathToFileURL(join(packageDir, "wasm", "decant.js")).href)) as typeof Core;
	glue.initSync({ module: readFileSync(join(packageDir, "dist", "decant_bg.wasm")) });
	return glue;
}

/** Every setting there is. */
export async function settingsSchema(): Promise<Core.SettingRow[]> {
	return (await coreGlue()).settingsSchema();
}
