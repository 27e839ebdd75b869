import { join } from "node:path";
import type { Config, CoreModule } from "../boundary.ts";
import { readSettingsFile, updateSettingsFile } from "./file.ts";

/** The key in pi's settings.json; the original's, so that its settings work here. */
const SECTION = "contextPrune";

/** The settings of a session: what the file says, over the core's defaults. */
export class Settings {
	readonly path: string;
	readonly #core: Pick<CoreModule, "readSettings">;
	#raw: Record<string, unknown> = {};
	#config: Config;

	/** Reads nothing yet: all defaults. */
	constructor(agentDir: string, core: Pick<CoreModule, "readSettings">) {
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
		else this.#take({ ...this.#raw, ...changes });
		return problem;
	}

	#take(raw: unknown): string[] {
		const reading = this.#core.readSettings(raw);
		this.#raw = typeof raw === "object" && raw !== null && !Array.isArray(raw) ? { ...raw } : {};
		this.#config = reading.config;
		// The core's messages begin with the key.
		return reading.problems.map(({ message }) => message);
	}
}
