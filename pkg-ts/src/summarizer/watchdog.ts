/** How long a summarizer call may take. */
export interface CallLimits {
	/** Ends the call when nothing arrived for this long, in ms; 0 = never. */
	idleMs: number;
	/** Ends the call after this long in any case, in ms; 0 = never. */
	maxMs: number;
}

/** Longest delay of a timer, in ms; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Aborts a call that is silent for too long or takes too long altogether. Both clocks run from the start. */
export class Watchdog {
	readonly #controller = new AbortController();
	readonly #limits: CallLimits;
	readonly #name: string;
	#idle: NodeJS.Timeout | undefined;
	readonly #ceiling: NodeJS.Timeout | undefined;
	#ended = false;
	/** Why the call was ended, in words. */
	verdict: string | undefined;

	constructor(limits: CallLimits, name: string) {
		this.#limits = limits;
		this.#name = name;
		if (limits.maxMs > 0) this.#ceiling = this.#arm(limits.maxMs, `took longer than ${seconds(limits.maxMs)}`);
		this.sign();
	}

	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	/** A sign of life. One that comes after the end, from a stream nobody waits for any more, starts no clock. */
	sign(): void {
		clearTimeout(this.#idle);
		if (this.#ended) return;
		const { idleMs } = this.#limits;
		if (idleMs > 0) this.#idle = this.#arm(idleMs, `was silent for ${seconds(idleMs)}`);
	}

	end(): void {
		this.#ended = true;
		clearTimeout(this.#idle);
		clearTimeout(this.#ceiling);
	}

	#arm(ms: number, what: string): NodeJS.Timeout {
		return setTimeout(
			() => {
				this.verdict ??= `${this.#name} ${what}`;
				this.#controller.abort();
			},
			Math.min(ms, LONGEST_TIMER_MS),
		);
	}
}

function seconds(ms: number): string {
	return `${ms / 1000} s`;
}
