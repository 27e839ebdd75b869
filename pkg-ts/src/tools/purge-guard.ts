/** The key that the mark of replaced arguments stands under; no tool has it. */
const KEY = "_purged";

const MARK = /^\s*<purged-errored-args\b[^>]*>\s*$/;

/**
 * Why a call must not run, said to the model; `undefined` where nothing speaks against it.
 *
 * In the context the arguments of old failed calls are replaced by a mark. A model that repeats such a call copies the
 * mark: it would stand in the user's file then (reports 99 and 100).
 */
export function purgedReason(input: unknown): string | undefined {
	const mark = markIn(input);
	if (mark === undefined) return undefined;
	const ref = /\bref="(t\d+)"/.exec(mark)?.[1];
	const original = ref ? `context_tree_query with ["${ref}"]` : "context_tree_query with the id of that call";
	return `Not run: these arguments are only the mark that stands for the arguments of an earlier failed call. Write the arguments out in full; ${original} shows the original ones.`;
}

/** A mark in the place of all arguments, or of one. What only speaks of marks is none. */
function markIn(input: unknown): string | undefined {
	if (typeof input !== "object" || input === null) return undefined;
	if (Object.hasOwn(input, KEY)) return String((input as Record<string, unknown>)[KEY]);
	for (const value of Object.values(input)) {
		if (typeof value === "string" && MARK.test(value)) return value;
		const inner = markIn(value);
		if (inner !== undefined) return inner;
	}
	return undefined;
}
