import { readFileSync } from "node:fs";
import type { CoreModule } from "../src/boundary.ts";
import * as glue from "../wasm/decant.js";

/** The core itself, for tests of what only it decides; needs `cargo xtask build`. */
export function realCore(): CoreModule {
	glue.initSync({ module: readFileSync(new URL("../wasm/decant_bg.wasm", import.meta.url)) });
	return glue;
}
