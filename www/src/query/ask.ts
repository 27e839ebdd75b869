// The query box, and its opening from a chip.

import { signal } from "@preact/signals";
import { isClosed } from "../core/client.ts";
import type { Answer } from "../core/types.ts";
import { view } from "../page/Views.tsx";
import { core, selected, source } from "../state/session.ts";
import { namesIn } from "./names.ts";

/** More than that at once is no question. */
const MOST = 50;

export const asked = signal("");
/** One answer for each name. */
export const answers = signal<{ request: number; all: { id: string; answer: Answer }[] } | undefined>(undefined);
export const failed = signal<string | undefined>(undefined);

// What one transcript answered says nothing of another.
source.subscribe(() => {
	asked.value = "";
	answers.value = undefined;
	failed.value = undefined;
});

/** Shows what the names in `text` stand for, as the agent would get it when asking at the chosen request. */
export async function ask(text: string): Promise<void> {
	const wanted = text.trim();
	asked.value = wanted;
	view.value = "query";
	if (wanted === "") return;
	failed.value = undefined;
	const request = selected.peek();
	const query = async (id: string) => ({ id, answer: await core().call("query", request, id) });
	try {
		// An id may have commas and capitals of its own.
		const whole = await query(wanted);
		const names = namesIn(wanted).slice(0, MOST);
		const all = whole.answer.found || names.length === 0 ? [whole] : await Promise.all(names.map(query));
		if (asked.peek() === wanted) answers.value = { request, all };
	} catch (error) {
		if (!isClosed(error)) failed.value = error instanceof Error ? error.message : String(error);
	}
}
