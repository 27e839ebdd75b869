// The npm registry as far as `npm install pi-decant` needs it, on loopback: one packument, one tarball.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Registry {
	url: string;
	/** Paths that were asked for, in order. */
	asked: string[];
	close(): Promise<void>;
}

/** Serves `tarball` as the only version of the package whose package.json is `manifest`. */
export async function startRegistry(tarball: string, manifest: { name: string; version: string }): Promise<Registry> {
	const bytes = readFileSync(tarball);
	const asked: string[] = [];
	const server = createServer((request, response) => {
		const path = decodeURIComponent(request.url ?? "/");
		asked.push(path);
		if (path === `/-/${manifest.name}.tgz`) {
			response.writeHead(200, { "content-type": "application/octet-stream" }).end(bytes);
			return;
		}
		const found = path === `/${manifest.name}`;
		response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
		response.end(JSON.stringify(found ? packument() : { error: "not found" }));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const packument = () => ({
		name: manifest.name,
		"dist-tags": { latest: manifest.version },
		versions: {
			[manifest.version]: {
				...manifest,
				dist: {
					tarball: `${url}/-/${manifest.name}.tgz`,
					shasum: createHash("sha1").update(bytes).digest("hex"),
					integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
				},
			},
		},
	});
	return {
		url,
		asked,
		close: () => {
			server.closeAllConnections();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}
