// The query box, and its opening from a chip.

import { signal } from "@preact/signals";
import { isClosed } from "../core/client.ts";
import type { Answer } from "../core/types.ts";
import { view } from "../page/Views.tsx";
import { core, selected, source } from "../state/session.ts";

export const asked = signal("");
export const answer = signal<{ id: string; request: number; answer: Answer } | undefined>(undefined);
export const failed = signal<string | undefined>(undefined);

// What one transcript answered says nothing of another.
source.subscribe(() => {
	asked.value = "";
	answer.value = undefined;
	failed.value = undefined;
});

/** Shows what `id` stands for, as the agent would get it when asking at the chosen request. */
export async function ask(id: string): Promise<void> {
	const wanted = id.trim();
	asked.value = wanted;
	view.value = "query";
	if (wanted === "") return;
	failed.value = undefined;
	const request = selected.peek();
	try {
		const found = await core().call("query", request, wanted);
		if (asked.peek() === wanted) answer.value = { id: wanted, request, answer: found };
	} catch (error) {
		if (!isClosed(error)) failed.value = error instanceof Error ? error.message : String(error);
	}
}
