import type { Component, Focusable, Input, SelectItem, SelectList } from "@earendil-works/pi-tui";
import { listHeight, type Paint, Panel, type Stage } from "./panel.ts";

/** A list to choose from. */
export interface Choice {
	items: readonly SelectItem[];
	/** The value that is chosen to begin with. */
	current?: string;
	/** Called with what was chosen; `undefined` where the user went back. */
	done: (value: string | undefined) => void;
}

/** Longest list that is shown without a line to search it. */
const SEARCH_FROM = 12;

/** pi's select list; a long one with pi's input above it, which narrows it down as pi's own model selector does. */
export class Picker implements Component, Focusable {
	readonly #host: Stage["host"];
	readonly #paint: Paint;
	readonly #choice: Choice;
	readonly #search: Input | undefined;
	#list: SelectList;
	#found = 0;

	constructor(host: Stage["host"], paint: Paint, choice: Choice) {
		this.#host = host;
		this.#paint = paint;
		this.#choice = choice;
		if (choice.items.length > SEARCH_FROM) this.#search = new host.piTui.Input();
		this.#list = this.#makeList(choice.items);
		const at = choice.items.findIndex(({ value }) => value === choice.current);
		if (at > 0) this.#list.setSelectedIndex(at);
	}

	get focused(): boolean {
		return this.#search?.focused ?? false;
	}

	set focused(focused: boolean) {
		if (this.#search) this.#search.focused = focused;
	}

	handleInput(data: string): void {
		const before = this.#search?.getValue();
		this.#list.handleInput(data);
		this.#search?.handleInput(data);
		const query = this.#search?.getValue();
		if (query !== undefined && query !== before) this.#list = this.#makeList(this.#matches(query));
	}

	invalidate(): void {
		this.#search?.invalidate();
		this.#list.invalidate();
	}

	render(width: number): string[] {
		const search = this.#search ? [...this.#search.render(width), ""] : [];
		// pi's own line for an empty list speaks of commands.
		const list = this.#found > 0 ? this.#list.render(width) : [this.#paint.theme.fg("muted", "  Nothing matches.")];
		return [...search, ...list];
	}

	#matches(query: string): SelectItem[] {
		const { fuzzyFilter } = this.#host.piTui;
		return fuzzyFilter([...this.#choice.items], query, (item) => `${item.label} ${item.description ?? ""}`);
	}

	#makeList(items: readonly SelectItem[]): SelectList {
		const { piTui, piCodingAgent } = this.#host;
		this.#found = items.length;
		const height = listHeight(this.#paint.tui, Math.min(this.#choice.items.length, 15), 16);
		const widest = Math.max(0, ...this.#choice.items.map(({ label }) => piTui.visibleWidth(label)));
		const column = Math.min(44, widest + 2);
		const list = new piTui.SelectList([...items], height, piCodingAgent.getSelectListTheme(), {
			minPrimaryColumnWidth: column,
			maxPrimaryColumnWidth: column,
		});
		list.onSelect = ({ value }) => this.#choice.done(value);
		list.onCancel = () => this.#choice.done(undefined);
		return list;
	}
}

/** Asks the user to choose; `undefined` where there is no screen or the user went back. */
export async function pick(
	{ ctx, host }: Stage,
	title: string,
	choice: Omit<Choice, "done">,
): Promise<string | undefined> {
	if (ctx.mode !== "tui") return undefined;
	return ctx.ui.custom<string | undefined>((tui, theme, _keybindings, done) => {
		const paint = { tui, theme };
		const keys = choice.items.length > SEARCH_FROM ? "Type to search · ↑↓ move" : "↑↓ move";
		return new Panel(
			host,
			paint,
			{ title, hint: `${keys} · Enter choose · Esc close` },
			new Picker(host, paint, { ...choice, done }),
		);
	});
}
