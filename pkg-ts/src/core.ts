import type { CoreModule, CoreSession } from "./boundary.ts";

/** Makes instantiated cores: the current one, and a fresh one after a trap. */
export interface CoreSource {
	/** The current core; instantiates it at first use. Throws where the wasm cannot be read or compiled. */
	current(): CoreModule;
	/** Replaces the current core by one in fresh memory. */
	renew(): Promise<CoreModule>;
}

/** Something that went wrong inside the core. */
export interface CoreFailure {
	/** What was being done, as in "while <doing>". */
	doing: string;
	message: string;
	/** The error's `code`, where the core refused in an orderly way. */
	code?: string;
	stack?: string;
}

/**
 * How often a session may fail before it is left alone: a branch that makes the core fail will do so again, and each
 * new try folds the whole branch.
 */
const MAX_FAILURES = 5;

/** After so many uses without one, earlier failures do not count any more: five in a week are not a broken branch. */
const FORGIVEN_AFTER = 100;

/**
 * The core of one session, fail-open: whatever is thrown inside, the caller gets its fallback, the core is dropped
 * and the next use starts with an empty one (which the caller fills from the branch).
 *
 * An error with a string `code` is the core's own orderly refusal and leaves its memory sound. Anything else is taken
 * for a trap: the wasm instance is in an unknown state then and is replaced before it is used again.
 */
export class Core {
	readonly #source: CoreSource;
	readonly #onFailure: (failure: CoreFailure) => void;
	#config: unknown;
	#folder: string | undefined;
	#session: CoreSession | undefined;
	#renewing = false;
	#closed = false;
	#failures = 0;
	#goodUses = 0;
	#lastFailure: CoreFailure | undefined;

	constructor(source: CoreSource, config: unknown, onFailure: (failure: CoreFailure) => void) {
		this.#source = source;
		this.#config = config;
		this.#onFailure = onFailure;
	}

	/** The newest failure of this session. */
	get lastFailure(): CoreFailure | undefined {
		return this.#lastFailure;
	}

	/** Whether the session failed too often to be tried again. */
	get givenUp(): boolean {
		return this.#failures >= MAX_FAILURES;
	}

	/** Runs `work` on the session's core; `fallback` if it throws or no core can be had at the moment. */
	use<T>(doing: string, fallback: T, work: (session: CoreSession) => T): T {
		if (this.#closed || this.#renewing || this.givenUp) return fallback;
		try {
			this.#session ??= new (this.#source.current().Session)(this.#config, this.#folder);
			const result = work(this.#session);
			this.#goodUses += 1;
			if (this.#goodUses >= FORGIVEN_AFTER) this.#failures = 0;
			return result;
		} catch (error) {
			this.#fail(doing, error);
			return fallback;
		}
	}

	/** Takes over changed settings. */
	setConfig(config: unknown): void {
		this.#config = config;
		if (this.#session) this.use("changing the settings", undefined, (session) => session.setConfig(config));
	}

	/** The folder that relative paths in tool calls stand under. */
	setFolder(folder: string): void {
		if (folder === this.#folder) return;
		this.#folder = folder;
		this.#drop();
	}

	/** Frees the core's memory for good. */
	close(): void {
		this.#closed = true;
		this.#drop();
	}

	#drop(): void {
		try {
			this.#session?.free();
		} catch {
			// A session borrowed at the time of a trap cannot be freed; its memory goes with the instance.
		}
		this.#session = undefined;
	}

	#fail(doing: string, error: unknown): void {
		const code = codeOf(error);
		this.#drop();
		this.#goodUses = 0;
		this.#failures += 1;
		this.#lastFailure = {
			doing,
			message: error instanceof Error ? error.message : String(error),
			...(code ? { code } : {}),
			...(error instanceof Error && error.stack ? { stack: error.stack } : {}),
		};
		if (!code) this.#renew();
		this.#onFailure(this.#lastFailure);
	}

	#renew(): void {
		this.#renewing = true;
		this.#source
			.renew()
			.catch(() => {
				this.#failures = MAX_FAILURES;
			})
			.finally(() => {
				this.#renewing = false;
			});
	}
}

/** An error's `code`, where it has one. */
export function codeOf(error: unknown): string | undefined {
	const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
	return typeof code === "string" ? code : undefined;
}
