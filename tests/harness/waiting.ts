// How long the tests wait for what happens elsewhere. A wait that is met ends at once, so only a test that fails pays
// for a generous limit; a tight one fails on a machine that is merely busy.

import assert from "node:assert/strict";

/** For one thing that happens in this process or in one that runs already. */
export const PATIENCE_MS = 60_000;

/** For a whole process of pi, below the limit of a test. */
export const PROCESS_MS = 150_000;

/** Waits for what happens in the background. */
export async function until(what: string, done: () => boolean, ms = PATIENCE_MS): Promise<void> {
	const late = performance.now() + ms;
	while (!done()) {
		assert.ok(performance.now() < late, `waited ${ms} ms for ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

/** What never happens: the wait for an answer that is not given. */
export const never = new Promise<void>(() => {});

/** A moment in which something may happen that should not. It can be too short to see it, never too short to pass. */
export function aMoment(ms = 300): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms));
}
