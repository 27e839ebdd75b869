/**
 * The bundle's entry: `index.ts` passes pi's packages, and gets the extension's factory.
 *
 * The wasm module is read and compiled once per process, at first use; its instance is shared by all sessions, which
 * the core keeps apart.
 */
import { readFileSync } from "node:fs";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import * as glue from "../wasm/decant.js";
import type { CoreModule } from "./boundary.ts";
import type { CoreSource } from "./core.ts";
import { wire } from "./extension.ts";
import type { Host } from "./host.ts";

let instantiated = false;

/** Instantiates this copy of the bundle's core. */
export function loadCore(): CoreModule {
	if (!instantiated) {
		glue.initSync({ module: readFileSync(new URL("./decant_bg.wasm", import.meta.url)) });
		instantiated = true;
	}
	return glue as unknown as CoreModule;
}

let current: CoreModule | undefined;
let generation = 0;

/** The cores of this process. */
export const source: CoreSource = {
	current: () => {
		current ??= loadCore();
		return current;
	},
	renew: async () => {
		// `initSync` does nothing the second time, and its state is the glue's own: only a second copy of this file,
		// under another URL, has a second instance.
		generation += 1;
		const copy = (await import(`${import.meta.url}?core=${generation}`)) as { loadCore: typeof loadCore };
		current = copy.loadCore();
		return current;
	},
};

/** Makes the extension factory. */
export function create(host: Host): (pi: ExtensionAPI) => void {
	return (pi) => {
		source.current();
		wire(pi, host, source);
	};
}
