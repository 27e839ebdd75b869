import { join } from "node:path";
import type { Config, CoreModule } from "../boundary.ts";
import { deepMerge, readSettingsFile, updateSettingsFile } from "./file.ts";
import type { SettingRow } from "./schema.ts";
import { nested, typedWords, valueAt } from "./values.ts";

/** The key in pi's settings.json; the original's, so that its settings work here. */
const SECTION = "contextPrune";

type SettingsCore = Pick<CoreModule, "readSettings" | "settingsSchema">;

/** The settings of a session: what the file says, over the core's defaults. */
export class Settings {
	readonly path: string;
	readonly #core: SettingsCore;
	#rows: readonly SettingRow[] | undefined;
	#raw: Record<string, unknown> = {};
	#config: Config;

	/** Reads nothing yet: all defaults. */
	constructor(agentDir: string, core: SettingsCore) {
		this.path = join(agentDir, "settings.json");
		this.#core = core;
		this.#config = core.readSettings({}).config;
	}

	get config(): Config {
		return this.#config;
	}

	/** Whether the user has set anything of ours. */
	get touched(): boolean {
		return Object.keys(this.#raw).length > 0;
	}

	/** Every setting there is, in the order to show them in. */
	get rows(): readonly SettingRow[] {
		this.#rows ??= this.#core.settingsSchema().map((row) => ({ ...row, help: typedWords(row.help) }));
		return this.#rows;
	}

	/** The row of a key, or of the `/pruner` subcommand that sets it. */
	row(name: string): SettingRow | undefined {
		return this.rows.find(({ key, command }) => key === name || command === name);
	}

	/** The value that holds for a key. */
	value(key: string): unknown {
		return valueAt(this.#config, key);
	}

	/**
	 * What speaks against a value, as in "expected a number of at least 0"; `undefined` where the core takes it as it is:
	 * what would be kept as another is not written.
	 */
	objection(key: string, value: unknown): string | undefined {
		const { problems, config } = this.#core.readSettings(deepMerge(this.#raw, nested(key, value)));
		const problem = problems.find((problem) => problem.key === key);
		if (problem) return typedWords(problem.message.replace(`${key}: `, "").replace(/; using .*$/s, ""));
		const held = valueAt(config, key);
		return same(held, value) ? undefined : `expected a value that can be kept; it would become ${shown(held)}`;
	}

	/** Reads the file. Returns a line for each thing that is wrong; what is wrong keeps its default. */
	load(): string[] {
		const file = readSettingsFile(this.path);
		if (!file.ok) {
			this.#take({});
			return [`pi-decant: ${file.problem}; using the default settings until it is repaired.`];
		}
		return this.#take(file.settings[SECTION] ?? {}).map((problem) => `pi-decant: in ${this.path}, ${problem}.`);
	}

	/**
	 * Changes settings for this session and in the file. Returns what kept them from being saved; they hold for this
	 * session all the same.
	 */
	change(changes: Record<string, unknown>): string | undefined {
		const problem = updateSettingsFile(this.path, SECTION, changes);
		if (problem === undefined) this.load();
		else this.#take(deepMerge(this.#raw, changes));
		return problem;
	}

	#take(raw: unknown): string[] {
		const reading = this.#core.readSettings(raw);
		this.#raw = typeof raw === "object" && raw !== null && !Array.isArray(raw) ? { ...raw } : {};
		this.#config = reading.config;
		// The core's messages begin with the key.
		return [...reading.problems.map(({ message }) => message), ...this.#taken(reading.problems)];
	}

	/** What stands in the file and counts as something else, without being wrong: a fraction, a number too large. */
	#taken(problems: readonly { key: string }[]): string[] {
		return this.rows.flatMap(({ key }) => {
			const [written, held] = [valueAt(this.#raw, key), this.value(key)];
			if (written === undefined || same(written, held) || problems.some((problem) => problem.key === key)) return [];
			return [`${key}: ${JSON.stringify(written)} counts as ${shown(held)}`];
		});
	}
}

function same(a: unknown, b: unknown): boolean {
	return JSON.stringify(a) === JSON.stringify(b);
}

function shown(value: unknown): string {
	return typeof value === "number" ? value.toLocaleString("en-US") : JSON.stringify(value);
}
