/**
 * pi-decant, as pi loads it.
 *
 * This file stays a short `.ts`: pi resolves the host packages to its own copies in `.ts` files only, while everything
 * else comes pre-bundled. pi's loader imports a `.js` beside a `"type": "module"` package natively, in 1 ms instead of
 * the 200-300 ms it takes to transform TypeScript sources (observed with pi 1.6.0).
 *
 * A throw out of an extension ends pi with exit code 1, so nothing here may throw: whatever cannot be loaded leaves pi
 * as it is, with one line at the start of the session.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import * as piCodingAgent from "@earendil-works/pi-coding-agent";
import * as piTui from "@earendil-works/pi-tui";

const bundle = new URL("./dist/bundle.js", import.meta.url).href;

export default async function piDecant(pi: ExtensionAPI): Promise<void> {
	try {
		const { create } = await import(bundle);
		await create({ piCodingAgent, piTui, entryUrl: import.meta.url })(pi);
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		pi.on("session_start", (_event, ctx) => report(ctx, why.split("\n", 1).join()));
	}
}

function report(ctx: ExtensionContext, why: string): void {
	const line = `pi-decant is not active: it could not be loaded (${why}). pi works as usual; reinstall pi-decant to repair it.`;
	if (ctx.hasUI) ctx.ui.notify(line, "error");
	else process.stderr.write(`${line}\n`);
}
