// The inline diff of one message. Most changes replace a long text by a short one that shares little with it, which is
// the slow case of any diff: beyond a limit the whole is shown as taken out and put in.

import { diffLines, diffWordsWithSpace } from "diff";
import type { DiffPiece } from "./protocol.ts";

/** UTF-16 units of both texts up to which words are compared; above it lines. */
const WORDS_UP_TO = 6_000;
/** ms */
const PATIENCE = 150;

export function differences(before: string, after: string): DiffPiece[] {
	const patience = { timeout: PATIENCE };
	const found =
		before.length + after.length <= WORDS_UP_TO
			? diffWordsWithSpace(before, after, patience)
			: diffLines(before, after, patience);
	if (!found)
		return [
			{ value: before, removed: true, added: false },
			{ value: after, removed: false, added: true },
		];
	return found.map(({ value, added, removed }) => ({ value, added, removed }));
}
