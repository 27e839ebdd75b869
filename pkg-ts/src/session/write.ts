import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { SessionView } from "../host.ts";

export type Written = { ok: true; id: string } | { ok: false; message: string };

/**
 * Appends an entry of ours. A full disk, a read-only session or a session that was replaced meanwhile makes pi throw
 * and take the entry back from its memory; nothing has changed then.
 */
export function writeEntry(
	pi: Pick<ExtensionAPI, "appendEntry">,
	view: SessionView,
	customType: string,
	data: object,
): Written {
	try {
		const before = view.getLeafId();
		pi.appendEntry(customType, data);
		const id = view.getLeafId();
		if (id === null || id === before) return { ok: false, message: "pi did not take the entry" };
		return { ok: true, id };
	} catch (error) {
		return { ok: false, message: error instanceof Error ? error.message : String(error) };
	}
}
