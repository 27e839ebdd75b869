// The page's end of a worker.

import { signal } from "@preact/signals";
import type { Ask, Calls, Method, Reply } from "./protocol.ts";

/** An error with the core's code. */
export class CoreError extends Error {
	readonly code: string;

	constructor(code: string, message: string) {
		super(message);
		this.code = code;
	}
}

/** Whoever closed a transcript does not want to hear of what was still being worked out. */
export const isClosed = (error: unknown) => error instanceof CoreError && error.code === "closed";

interface Waiting {
	resolve(value: unknown): void;
	reject(error: Error): void;
}

/** One worker and, once opened, its one transcript. Closing it is how work in progress is cancelled. */
export class Core {
	readonly #worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
	readonly #waiting = new Map<number, Waiting>();
	/** How many questions have no answer yet. */
	readonly outstanding = signal(0);
	#asked = 0;
	#ended: CoreError | undefined;
	onProgress: ((done: number, total: number) => void) | undefined;

	constructor() {
		this.#worker.addEventListener("message", (event: MessageEvent<Reply>) => this.#answer(event.data));
		this.#worker.addEventListener("error", (event) => {
			event.preventDefault();
			this.#fail(new CoreError("worker", `The worker stopped: ${event.message || "its script could not be loaded"}`));
		});
	}

	call<M extends Method>(method: M, ...args: Parameters<Calls[M]>): Promise<ReturnType<Calls[M]>> {
		if (this.#ended) return Promise.reject(this.#ended);
		const id = ++this.#asked;
		return new Promise((resolve, reject) => {
			this.#waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
			this.#worker.postMessage({ id, method, args } satisfies Ask);
			this.outstanding.value = this.#waiting.size;
		});
	}

	close(): void {
		this.#fail(new CoreError("closed", "Cancelled."));
	}

	#answer(reply: Reply): void {
		if ("progress" in reply) {
			this.onProgress?.(reply.progress.done, reply.progress.total);
			return;
		}
		const waiting = this.#waiting.get(reply.id);
		this.#waiting.delete(reply.id);
		this.outstanding.value = this.#waiting.size;
		if ("error" in reply) waiting?.reject(new CoreError(reply.error.code, reply.error.message));
		else waiting?.resolve(reply.value);
	}

	#fail(error: CoreError): void {
		this.#ended ??= error;
		this.#worker.terminate();
		for (const waiting of this.#waiting.values()) waiting.reject(error);
		this.#waiting.clear();
		this.outstanding.value = 0;
	}
}
