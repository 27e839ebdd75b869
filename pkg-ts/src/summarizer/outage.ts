/** How long the session's model stands in before the configured one is tried again, in ms. */
export const PROBE_AFTER_MS = 10 * 60_000;

/**
 * Whom to ask: the configured model, the same to see whether it is back, or the session's model in its place.
 */
export type Target = "primary" | "probe" | "session";

/** What the user is to be told. */
export type OutageNotice = "entered" | "recovered";

/**
 * Remembers an outage of the configured summarizer, so that each flush does not wait for a dead provider again
 * (condense.md section 15, the table of the fallback controller).
 *
 * Without a clock: times are passed in, in ms, from any one start. Only transient failures count; a call that was
 * aborted, not authorized or answered uselessly says nothing about the provider's health and is not reported here.
 */
export class OutageController {
	#inFallback = false;
	/** The fallback was entered while the session's model failed as well: the warning waits for news worth reading. */
	#owed = false;
	#lastProbe = 0;

	/** Whether the session's model is standing in. */
	get inFallback(): boolean {
		return this.#inFallback;
	}

	/** Whom to ask now. Claims the probe at once, so that exactly one of several parallel calls makes it. */
	target(now: number): Target {
		if (!this.#inFallback) return "primary";
		if (now - this.#lastProbe < PROBE_AFTER_MS) return "session";
		this.#lastProbe = now;
		return "probe";
	}

	/** The model that was asked first has answered. */
	succeeded(target: Target): OutageNotice | undefined {
		if (target === "session") return this.#payOwed();
		if (target === "primary") return undefined;
		this.#inFallback = false;
		this.#owed = false;
		return "recovered";
	}

	/** The configured model has failed, and the session's model was asked instead: did it answer? */
	primaryFailed(now: number, rescued: boolean): OutageNotice | undefined {
		this.#lastProbe = now;
		const first = !this.#inFallback;
		this.#inFallback = true;
		if (!rescued) {
			this.#owed ||= first;
			return undefined;
		}
		return first ? "entered" : this.#payOwed();
	}

	/** Forgets everything; for a new session. */
	reset(): void {
		this.#inFallback = false;
		this.#owed = false;
		this.#lastProbe = 0;
	}

	#payOwed(): OutageNotice | undefined {
		if (!this.#owed) return undefined;
		this.#owed = false;
		return "entered";
	}
}
