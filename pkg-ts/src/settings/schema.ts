/** What a setting accepts. */
export type SettingKind = "boolean" | "count" | "fraction" | "choice" | "list" | "model";

/** One setting, as the core describes it: the only place where keys, defaults and rules are. */
export interface SettingRow {
	/** Dots go into nested objects. */
	key: string;
	kind: SettingKind;
	default: unknown;
	choices?: string[];
	/** Values to step through; others are accepted as well. */
	presets?: unknown[];
	/** `null` is accepted: none, or off. */
	nullable?: boolean;
	/** One short sentence. */
	help: string;
	/** The `/pruner` subcommand that sets it. */
	command?: string;
}
