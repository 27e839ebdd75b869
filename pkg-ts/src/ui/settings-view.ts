import type { SettingItem } from "@earendil-works/pi-tui";
import type { SettingRow } from "../settings/schema.ts";
import type { Settings } from "../settings/settings.ts";
import { formatValue } from "../settings/values.ts";
import { InputForm } from "./input-form.ts";
import { type Paint, Panel, type PanelText, type Stage } from "./panel.ts";
import { Picker } from "./picker.ts";
import { SettingsSearch } from "./settings-search.ts";

/** What the settings overlay works on. */
export interface SettingsViewParts {
	settings: Settings;
	/** Sets a key to what was typed or chosen; says what came of it. */
	set: (row: SettingRow, text: string) => { ok: boolean; text: string };
	/** Models to offer, as `provider/id`. */
	models: () => string[];
}

/** The last of a row's values: leads to an input. */
const OTHER = "other…";

const LIST: PanelText = {
	title: "pi-decant settings",
	hint: "Type to search · every change is saved at once",
};

/** A row for every setting; Enter steps through its values or opens an input. Resolves when the user is done. */
export function showSettings(stage: Stage, parts: SettingsViewParts): Promise<void> {
	return stage.ctx.ui.custom<void>((tui, theme, _keybindings, done) => {
		const view = new SettingsView(stage.host, { tui, theme }, parts, () => done(undefined));
		return view.panel;
	});
}

class SettingsView {
	readonly panel: Panel;
	readonly #host: Stage["host"];
	readonly #paint: Paint;
	readonly #parts: SettingsViewParts;
	readonly #list: SettingsSearch;

	constructor(host: Stage["host"], paint: Paint, parts: SettingsViewParts, close: () => void) {
		this.#host = host;
		this.#paint = paint;
		this.#parts = parts;
		this.#list = new SettingsSearch(host, paint, {
			items: parts.settings.rows.map((row) => this.#item(row)),
			changed: (key, shown) => this.#changed(key, shown),
			close,
		});
		this.panel = new Panel(host, paint, LIST, this.#list);
	}

	#item(row: SettingRow): SettingItem {
		const { settings } = this.#parts;
		const item: SettingItem = {
			id: row.key,
			label: row.key,
			description: `${row.help} Default: ${formatValue(row, row.default)}.`,
			currentValue: formatValue(row, settings.value(row.key)),
		};
		if (row.kind === "list") item.submenu = (_shown, done) => this.#form(row, done);
		else if (row.kind === "model") item.submenu = (_shown, done) => this.#models(row, done);
		else item.values = stepsOf(row, settings.value(row.key));
		return item;
	}

	#changed(key: string, shown: string): void {
		const row = this.#parts.settings.row(key);
		if (!row) return;
		if (shown === OTHER) {
			this.#restore(row);
			this.panel.show(
				this.#form(row, () => this.#back(row)),
				{ title: row.key, hint: "Enter save · Esc back" },
			);
			return;
		}
		this.#set(row, shown);
	}

	/** Sets a value; returns what was wrong with it. */
	#set(row: SettingRow, text: string): string | undefined {
		const { ok, text: what } = this.#parts.set(row, text);
		this.#restore(row);
		this.panel.note(ok ? what : `${what} Nothing was changed.`, ok ? "dim" : "error");
		return ok ? undefined : what;
	}

	/** Shows what holds now. */
	#restore(row: SettingRow): void {
		this.#list.updateValue(row.key, formatValue(row, this.#parts.settings.value(row.key)));
	}

	#back(row: SettingRow): void {
		this.panel.show(this.#list, LIST);
		this.#restore(row);
	}

	#form(row: SettingRow, done: () => void): InputForm {
		const shown = formatValue(row, this.#parts.settings.value(row.key));
		return new InputForm(this.#host, this.#paint, {
			label: questionOf(row),
			value: row.kind === "list" && shown === "none" ? "" : shown,
			cancel: done,
			submit: (text) => {
				const { ok, text: what } = this.#parts.set(row, text);
				if (!ok) return what;
				done();
				this.#restore(row);
				this.panel.note(what);
				return undefined;
			},
		});
	}

	#models(row: SettingRow, done: (value?: string) => void): Picker {
		const names = ["default", ...this.#parts.models()];
		return new Picker(this.#host, this.#paint, {
			items: names.map((name) => ({ value: name, label: name === "default" ? "default (the session's model)" : name })),
			current: String(this.#parts.settings.value(row.key)),
			done: (name) => {
				if (name !== undefined) this.#set(row, name);
				done();
				this.#restore(row);
			},
		});
	}
}

/** The values Enter steps through: those the core suggests, the present one among them. */
function stepsOf(row: SettingRow, value: unknown): string[] {
	if (row.kind === "boolean") return ["on", "off"];
	if (row.kind === "choice") return row.choices ?? [];
	const numbers = [...(row.presets ?? []), value].filter((step) => typeof step === "number").sort((a, b) => a - b);
	const steps = [...(row.nullable ? [null] : []), ...new Set(numbers)];
	return [...steps.map((step) => formatValue(row, step)), OTHER];
}

function questionOf(row: SettingRow): string {
	if (row.kind === "list") return `${row.help} Separate with spaces, quote what contains some; none for an empty list.`;
	const none = formatValue(row, null);
	return row.nullable && !row.help.includes(`${none}:`) ? `${row.help} ${none} switches it off.` : row.help;
}
