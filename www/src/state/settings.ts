// The settings as they would stand under `contextPrune`: only keys that differ from their default. The core judges them.

import { signal } from "@preact/signals";
import type { Problem, SettingRow } from "../core/types.ts";

export type Settings = { [key: string]: unknown };

/** Every setting there is, once something was opened. */
export const schema = signal<SettingRow[]>([]);
export const settings = signal<Settings>({});
export const problems = signal<Problem[]>([]);

/** The value under a dotted key; undefined where the default counts. */
export function settingAt(all: Settings, key: string): unknown {
	let value: unknown = all;
	for (const part of key.split(".")) value = (value as Settings | undefined)?.[part];
	return value;
}

/** `all` with `value` under a dotted key; undefined takes the key out, and objects that it leaves empty. */
export function withValue(all: Settings, key: string, value: unknown): Settings {
	const [first, ...rest] = key.split(".") as [string, ...string[]];
	const copy = { ...all };
	const inner = rest.length === 0 ? value : withValue((all[first] as Settings) ?? {}, rest.join("."), value);
	const empty = inner === undefined || (rest.length > 0 && Object.keys(inner as Settings).length === 0);
	if (empty) delete copy[first];
	else copy[first] = inner;
	return copy;
}

export function change(row: SettingRow, value: unknown): void {
	const isDefault = JSON.stringify(value) === JSON.stringify(row.default);
	settings.value = withValue(settings.value, row.key, isDefault ? undefined : value);
}
