import { fileURLToPath } from "node:url";
import base from "../vite.config.ts";

const fake = fileURLToPath(new URL("./fake.ts", import.meta.url));
const swap = {
	name: "fake",
	enforce: "pre",
	resolveId(id: string, from?: string) {
		if (id.endsWith("wasm/decant.js") && from?.endsWith("core/worker.ts")) return fake;
	},
};
export default {
	...base,
	plugins: [...(base as any).plugins, swap],
	worker: { format: "es", plugins: () => [swap] },
	build: { ...(base as any).build, outDir: "/tmp/h9-dist", emptyOutDir: true },
};
