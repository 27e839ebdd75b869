import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { SettingRow } from "../settings/schema.ts";
import { formatValue, nested, parseValue } from "../settings/values.ts";
import type { PrunerControl } from "./control.ts";

/** What came of a wish to change a setting, as a sentence without the name of the extension. */
export interface Changed {
	/** The setting has the value now; otherwise it is what it was. */
	ok: boolean;
	text: string;
	level: "info" | "warning";
}

/** Sets a key to what a person typed, if the core takes it. */
export function changeFromText(control: PrunerControl, ctx: ExtensionContext, row: SettingRow, text: string): Changed {
	const parsed = parseValue(row, text);
	if (!parsed.ok) return refused(control, row, parsed.expected, text);
	return change(control, ctx, row, parsed.value, text);
}

/** Sets a key, if the core takes the value; in the file and for this session at once. */
export function change(
	control: PrunerControl,
	ctx: ExtensionContext,
	row: SettingRow,
	value: unknown,
	text: string = formatValue(row, value),
): Changed {
	const settings = control.settings();
	const objection = settings.objection(row.key, value);
	if (objection) return refused(control, row, objection, text);
	const before = formatValue(row, settings.value(row.key));
	const problem = control.change(nested(row.key, value), ctx);
	const after = formatValue(row, settings.value(row.key));
	const what = before === after ? `${row.key} is ${after} already` : `${row.key} is now ${after} (was ${before})`;
	if (problem === undefined) return { ok: true, text: `${what}.`, level: "info" };
	return { ok: true, text: `${what}, for this session only: ${problem}.`, level: "warning" };
}

function refused(control: PrunerControl, row: SettingRow, expected: string, text: string): Changed {
	const now = formatValue(row, control.settings().value(row.key));
	const what = expected.replace(/^expected /, "");
	return { ok: false, text: `${row.key} stays ${now}: "${text.trim()}" is not ${what}.`, level: "warning" };
}
