// The page's end of a worker.

import type { Ask, Calls, Method, Reply } from "./protocol.ts";

/** An error with the core's code. */
export class CoreError extends Error {
	readonly code: string;

	constructor(code: string, message: string) {
		super(message);
		this.code = code;
	}
}

interface Waiting {
	resolve(value: unknown): void;
	reject(error: Error): void;
}

/** One worker and, once opened, its one transcript. Closing it is how work in progress is cancelled. */
export class Core {
	readonly #worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
	readonly #waiting = new Map<number, Waiting>();
	#asked = 0;
	#closed = false;
	onProgress: ((done: number, total: number) => void) | undefined;

	constructor() {
		this.#worker.addEventListener("message", (event: MessageEvent<Reply>) => this.#answer(event.data));
		this.#worker.addEventListener("error", (event) => {
			event.preventDefault();
			this.#fail(new CoreError("worker", `The worker stopped: ${event.message || "its script could not be loaded"}`));
		});
	}

	call<M extends Method>(method: M, ...args: Parameters<Calls[M]>): Promise<ReturnType<Calls[M]>> {
		if (this.#closed) return Promise.reject(new CoreError("closed", "This transcript is not open any more."));
		const id = ++this.#asked;
		return new Promise((resolve, reject) => {
			this.#waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
			this.#worker.postMessage({ id, method, args } satisfies Ask);
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
		if ("error" in reply) waiting?.reject(new CoreError(reply.error.code, reply.error.message));
		else waiting?.resolve(reply.value);
	}

	#fail(error: CoreError): void {
		this.#closed = true;
		this.#worker.terminate();
		for (const waiting of this.#waiting.values()) waiting.reject(error);
		this.#waiting.clear();
	}
}
