// A static server for the built page, on this machine only. `node www/serve.ts [port]`; `cargo xtask playground` runs it.

import { createReadStream, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const built = fileURLToPath(new URL("./dist", import.meta.url));

const types: Record<string, string> = {
	".html": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".json": "application/json",
	".jsonl": "application/jsonl",
	".wasm": "application/wasm",
};

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** Serves `folder` under `prefix`, which begins and ends with a slash. Port 0: any that is free. */
export function serve(folder: string, port = 0, prefix = "/"): Promise<{ url: string; server: Server }> {
	const server = createServer((request, response) => {
		const refuse = (status: number) => response.writeHead(status, { "content-type": "text/plain" }).end(`${status}\n`);
		if (request.method !== "GET" && request.method !== "HEAD") return refuse(405);
		let path: string;
		try {
			path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
		} catch {
			return refuse(400);
		}
		if (!path.startsWith(prefix)) return refuse(404);
		const wanted = path.slice(prefix.length);
		const file = normalize(join(folder, wanted === "" ? "index.html" : wanted));
		if (!file.startsWith(folder + sep) || !isFile(file)) return refuse(404);
		response.writeHead(200, {
			"content-type": types[extname(file)] ?? "application/octet-stream",
			"cache-control": "no-cache",
			"x-content-type-options": "nosniff",
		});
		if (request.method === "HEAD") return response.end();
		return createReadStream(file).pipe(response);
	});
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, "127.0.0.1", () => {
			const { port: got } = server.address() as AddressInfo;
			resolve({ url: `http://127.0.0.1:${got}${prefix}`, server });
		});
	});
}

if (import.meta.main) {
	const wanted = Number(process.argv[2] ?? 4180);
	// A port that is taken, by an earlier playground for one, is no reason to stop.
	const { url } = await serve(built, wanted).catch(() => serve(built));
	console.log(`The playground is at ${url} (Ctrl+C ends it)`);
}
