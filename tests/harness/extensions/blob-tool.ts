// A test's own extension: a tool whose results are what built-in tools never give (they cut at 50 kB and 2,000 lines).

import { readFileSync } from "node:fs";
import { resolve } from "node:path";

interface Result {
	content: object[];
	details: object;
}

interface Api {
	registerTool(tool: {
		name: string;
		label: string;
		description: string;
		parameters: object;
		execute(
			id: string,
			params: { path: string },
			signal: unknown,
			onUpdate: unknown,
			ctx: { cwd: string },
		): Promise<Result>;
	}): void;
}

/** `blob {path}`: the content blocks in that JSON file, as they are. */
export default function blobTool(pi: Api): void {
	pi.registerTool({
		name: "blob",
		label: "Blob",
		description: "Returns prepared content",
		parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
		execute: async (_id, params, _signal, _onUpdate, ctx) => ({
			content: JSON.parse(readFileSync(resolve(ctx.cwd, params.path), "utf8")),
			details: {},
		}),
	});
}
