// A view's question to the worker.

import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import type { Calls, Method } from "../core/protocol.ts";
import { core } from "./session.ts";

interface Got<M extends Method> {
	answer?: ReturnType<Calls[M]>;
	failed?: string;
}

/**
 * What the open transcript's worker answers, asked anew when something in `about` changes; until then the answer before
 * stays. Asked together with the drawing, so that the page never looks finished between the two.
 */
export function useAnswer<M extends Method>(method: M, args: Parameters<Calls[M]>, about: readonly unknown[]): Got<M> {
	const got = useSignal<Got<M>>({});
	useLayoutEffect(() => {
		let wanted = true;
		const take = (next: Got<M>) => {
			if (wanted) got.value = next;
		};
		core()
			.call(method, ...args)
			.then(
				(answer) => take({ answer }),
				(error: Error) => take({ failed: error.message }),
			);
		return () => {
			wanted = false;
		};
	}, about);
	return got.value;
}
