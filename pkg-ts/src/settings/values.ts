import type { SettingRow } from "./schema.ts";
import { quoteWord, splitWords } from "./words.ts";

/** What a text means as the value of a setting, or what was expected instead. */
export type Parsed = { ok: true; value: unknown } | { ok: false; expected: string };

const TRUE = ["on", "true", "yes"];
const FALSE = ["off", "false", "no"];
/** What people type for no value at all; the first is how it is shown. In the file it is `null`, in a list `[]`. */
const NONE = ["none", "off", "null"] as const;

/** What people type for the value that holds where nothing is set. */
export const DEFAULT = "default";

/** Reads what a person typed. The core still decides whether the value is a valid one. */
export function parseValue(row: SettingRow, text: string): Parsed {
	const word = text.trim();
	if (word.toLowerCase() === DEFAULT) return { ok: true, value: row.default };
	if (row.nullable && NONE.some((none) => none === word.toLowerCase())) return { ok: true, value: null };
	switch (row.kind) {
		case "boolean":
			return parseBoolean(word);
		case "count":
			return parseCount(row, word);
		case "fraction":
			return parseFraction(row, word);
		case "choice":
			return row.choices?.includes(word)
				? { ok: true, value: word }
				: { ok: false, expected: `one of ${row.choices?.join(", ")}` };
		case "list":
			return parseList(text);
		case "model":
			return { ok: true, value: word };
	}
}

function parseBoolean(word: string): Parsed {
	if (TRUE.includes(word.toLowerCase())) return { ok: true, value: true };
	if (FALSE.includes(word.toLowerCase())) return { ok: true, value: false };
	return { ok: false, expected: "on or off" };
}

/** Digits only: `12abc` is no 12 (the original's `parseInt` took it for one). `30,000` and `30_000` are read too. */
function parseCount(row: SettingRow, word: string): Parsed {
	if (/^\d+$|^\d{1,3}([,_]\d{3})+$/.test(word)) return { ok: true, value: Number(word.replace(/[,_]/g, "")) };
	return { ok: false, expected: `a whole number${row.nullable ? ", or none" : ""}` };
}

function parseFraction(row: SettingRow, word: string): Parsed {
	const share = /^(\d*\.?\d+)(%?)$/.exec(word);
	if (share) {
		const value = Number(share[1]) / (share[2] ? 100 : 1);
		if (value > 0 && value <= 1) return { ok: true, value };
	}
	return { ok: false, expected: `a share such as 0.8 or 80%${row.nullable ? ", or none" : ""}` };
}

function parseList(text: string): Parsed {
	if (text.trim().toLowerCase() === NONE[0]) return { ok: true, value: [] };
	const split = splitWords(text);
	if (!split.ok) return { ok: false, expected: `words, quoted where they contain spaces; ${split.problem}` };
	return { ok: true, value: split.words };
}

/** What the core says of a setting, in the words people type: it speaks of the file, where no value is `null`. */
export function typedWords(text: string): string {
	return text.replace(/\bnull\b/g, NONE[0]);
}

/** A value for people; `parseValue` reads it back. */
export function formatValue(row: SettingRow, value: unknown): string {
	if (value === null || value === undefined) return NONE[0];
	if (typeof value === "boolean") return value ? "on" : "off";
	if (Array.isArray(value))
		return value.length === 0 ? NONE[0] : value.map((word) => quoteWord(String(word))).join(" ");
	if (typeof value === "number") return row.kind === "fraction" ? percent(value) : value.toLocaleString("en-US");
	return String(value);
}

function percent(share: number): string {
	return `${Number((share * 100).toFixed(2))}%`;
}

/** What an object has under a dotted key. */
export function valueAt(object: unknown, key: string): unknown {
	let value = object;
	for (const part of key.split(".")) {
		if (typeof value !== "object" || value === null) return undefined;
		value = (value as Record<string, unknown>)[part];
	}
	return value;
}

/** `{ a: { b: value } }` for the key `a.b`. */
export function nested(key: string, value: unknown): Record<string, unknown> {
	const [first = "", ...rest] = key.split(".");
	return { [first]: rest.length === 0 ? value : nested(rest.join("."), value) };
}
