import type { Component, Focusable, Input, SettingItem, SettingsList } from "@earendil-works/pi-tui";
import { listHeight, type Paint, type Stage } from "./panel.ts";

/** What the list is made of. */
export interface SettingsSearchParts {
	/** Each by its key, which is its label too. */
	items: readonly SettingItem[];
	changed: (key: string, shown: string) => void;
	close: () => void;
}

/** The longest label that pi's list aligns. */
const LABEL_COLUMNS = 36;

/** Columns that are left for the values on a narrow screen. */
const VALUE_COLUMNS = 16;

/**
 * pi's settings list with pi's input above it. pi's own search looks at the labels as they stand on the screen; here a
 * label may be cut, and the whole key is found all the same.
 */
export class SettingsSearch implements Component, Focusable {
	readonly #host: Stage["host"];
	readonly #paint: Paint;
	readonly #parts: SettingsSearchParts;
	readonly #help: ReadonlyMap<string, string | undefined>;
	readonly #search: Input;
	/** Everything, or what matches. */
	#items: SettingItem[];
	#list: SettingsList;
	/** A form stands where the list was: all keys are its. */
	#inForm = false;
	#width = 0;

	constructor(host: Stage["host"], paint: Paint, parts: SettingsSearchParts) {
		this.#host = host;
		this.#paint = paint;
		this.#parts = { ...parts, items: parts.items.map((item) => this.#watched(item)) };
		this.#help = new Map(parts.items.map(({ id, description }) => [id, description]));
		this.#search = new host.piTui.Input();
		this.#items = [...this.#parts.items];
		this.#list = this.#makeList();
	}

	get focused(): boolean {
		return this.#search.focused;
	}

	set focused(focused: boolean) {
		this.#search.focused = focused;
	}

	/** Shows another value beside a key. */
	updateValue(key: string, value: string): void {
		for (const item of this.#parts.items) if (item.id === key) item.currentValue = value;
	}

	handleInput(data: string): void {
		const before = this.#search.getValue();
		// Space changes a value, as Enter does, until something is searched for.
		const isTyped = data.length === 1 && data >= " " && !(data === " " && before === "");
		if (this.#inForm || !isTyped) this.#list.handleInput(data);
		if (this.#inForm) return;
		if (data !== " " || before !== "") this.#search.handleInput(data);
		const query = this.#search.getValue();
		if (query === before) return;
		this.#items = this.#host.piTui.fuzzyFilter([...this.#parts.items], query, ({ id }) => id);
		this.#list = this.#makeList();
	}

	invalidate(): void {
		this.#search.invalidate();
		this.#list.invalidate();
	}

	render(width: number): string[] {
		if (width !== this.#width) {
			this.#width = width;
			this.#cutLabels();
		}
		if (this.#inForm) return [...this.#list.render(width)];
		// pi's own line for an empty list says that there are no settings.
		const nothing = [this.#paint.theme.fg("muted", "  Nothing matches.")];
		return [...this.#search.render(width), "", ...(this.#items.length > 0 ? this.#list.render(width) : nothing)];
	}

	/** So that values begin in one column, and have some room. The description has the whole key where its label has not. */
	#cutLabels(): void {
		const room = Math.min(LABEL_COLUMNS, Math.max(10, this.#width - VALUE_COLUMNS - 6));
		const column = Math.min(room, Math.max(...this.#parts.items.map(({ id }) => id.length)));
		for (const item of this.#parts.items) {
			// The settings of a group differ in what stands behind the dot.
			const last = item.id.length > column ? item.id.replace(/^[^.]*\./, "…") : item.id;
			item.label = this.#host.piTui.truncateToWidth(last, column, "…").padEnd(column);
			const help = this.#help.get(item.id) ?? "";
			item.description = item.id.length > column ? `${item.id}: ${help}` : help;
		}
	}

	#watched(item: SettingItem): SettingItem {
		const { submenu } = item;
		if (!submenu) return { ...item };
		return {
			...item,
			submenu: (value, done) => {
				this.#inForm = true;
				return submenu(value, (...chosen) => {
					this.#inForm = false;
					done(...chosen);
				});
			},
		};
	}

	#makeList(): SettingsList {
		const { piTui, piCodingAgent } = this.#host;
		const { items, changed, close } = this.#parts;
		const height = listHeight(this.#paint.tui, items.length, 18);
		return new piTui.SettingsList(this.#items, height, piCodingAgent.getSettingsListTheme(), changed, close);
	}
}
