// A session opened in process and worked up to its first flush.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { blocking, file, pruning } from "./fixtures.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "./sandbox.ts";
import { openSdk, type SdkOptions, type SdkPi } from "./sdk.ts";
import { type CallSpec, SessionBuilder } from "./sessions.ts";

export interface Opened extends SdkPi {
	sandbox: Sandbox;
}

/** pi in a sandbox of its own; both end with the test. */
export async function openSession(
	t: TestContext,
	options: Omit<SdkOptions, "sandbox"> & Pick<SandboxOptions, "settings" | "files">,
): Promise<Opened> {
	const { settings = blocking, files = {} } = options;
	const sandbox = createSandbox({ settings, files });
	const sdk = await openSdk({ sandbox, ...options });
	t.after(async () => {
		await sdk.dispose();
		sandbox.remove();
	});
	return { ...sdk, sandbox };
}

/** The same with these settings of ours, where nobody but us changes what is sent. */
export function openPruning(
	t: TestContext,
	settings: Record<string, unknown>,
	options: Partial<Parameters<typeof openSession>[1]> = {},
): Promise<Opened> {
	return openSession(t, { settings: pruning(settings), mode: "rpc", ...options });
}

/** Another pi on what `sdk` has written so far, in the same working folder: pi sends the folder's name. */
export async function resume(t: TestContext, sdk: Opened, options: Partial<SdkOptions> = {}): Promise<SdkPi> {
	const entries = [sdk.manager.getHeader() as object, ...sdk.manager.getEntries()];
	const again = await openSdk({ sandbox: sdk.sandbox, entries, ...options });
	t.after(() => again.dispose());
	return again;
}

/** A session whose batches wait for their first flush: these turns of calls, or so many that read a file each. */
export function waiting(turns: number | CallSpec[][], closing = "So far."): SessionBuilder {
	const session = new SessionBuilder();
	session.user("Look into it.");
	const reads = (count: number) => Array.from({ length: count }, (_, n) => [readCall(n + 1)]);
	for (const turn of typeof turns === "number" ? reads(turns) : turns) session.toolTurn(turn);
	session.assistant(closing);
	return session;
}

/** A call that read the source file of this number. */
export const readCall = (seed: number, fields: Partial<CallSpec> = {}): CallSpec => ({
	name: "read",
	args: { path: `src/${seed}.ts` },
	result: file(seed, "code", 3_000),
	...fields,
});

/** A prompt lets the flush happen, a second one shows it. */
export async function goOn(sdk: SdkPi): Promise<void> {
	await sdk.prompt("Go on.");
	await sdk.prompt("And now?");
	assert.deepEqual(sdk.errors, []);
}
