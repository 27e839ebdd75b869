import type { CoreSession, Entry } from "../boundary.ts";
import type { SessionView } from "../host.ts";

/**
 * Brings the core to the session's current leaf: continues where it stands if its leaf lies on the branch, else folds
 * the branch anew (after `/tree`, a fork, or in an empty core).
 *
 * Costs one map look-up per new entry; nothing where the leaf is the same.
 */
export function sync(core: CoreSession, view: SessionView): void {
	const leaf = view.getLeafId();
	const known = core.leafId;
	if (leaf !== null && leaf === known) return;
	const added = known === undefined ? undefined : since(known, leaf, view);
	if (added) core.appendEntries(added);
	else core.loadBranch(view.getBranch());
}

/** The entries after `ancestor` up to `leaf`, root first; `undefined` if `ancestor` is not on that path. */
function since(ancestor: string, leaf: string | null, view: SessionView): Entry[] | undefined {
	const added: Entry[] = [];
	let id = leaf;
	while (id !== null) {
		if (id === ancestor) return added.reverse();
		const entry = view.getEntry(id);
		if (!entry) return undefined;
		added.push(entry);
		id = entry.parentId;
	}
	return undefined;
}

/** Whether `ancestor` is `leaf` or lies on the path from it to the root. */
export function isOnBranch(ancestor: string, view: SessionView): boolean {
	let id = view.getLeafId();
	while (id !== null) {
		if (id === ancestor) return true;
		id = view.getEntry(id)?.parentId ?? null;
	}
	return false;
}
