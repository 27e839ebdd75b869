import type { ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import type { Component, Focusable, Text, TUI } from "@earendil-works/pi-tui";
import type { Host } from "../host.ts";

/** Where a dialog is shown, and the components it is made of. */
export interface Stage {
	ctx: Pick<ExtensionContext, "mode" | "ui">;
	host: Pick<Host, "piTui" | "piCodingAgent">;
}

/** What a dialog's parts are made with. */
export interface Paint {
	tui: TUI;
	theme: Theme;
}

/** The changing part of a panel. */
export type Body = Component & Partial<Focusable>;

/** What stands around a body: `title` above, `hint` (which keys do what) below, both without colors. */
export interface PanelText {
	title: string;
	hint: string;
}

/**
 * A bordered panel around a component that takes the keys: the look of pi's own selectors.
 *
 * The body can be swapped, and a line below it tells what has just happened.
 */
export class Panel implements Component, Focusable {
	/** Page keys move the list, not the transcript behind it. */
	readonly capturesViewportInput = true;
	readonly #paint: Paint;
	readonly #parts: Component[];
	readonly #title: Text;
	readonly #note: Text;
	readonly #hint: Text;
	#text: PanelText;
	#body: Body;
	#noteText = "";
	#noteColor: "dim" | "error" = "dim";
	#focused = false;

	constructor({ piTui, piCodingAgent }: Stage["host"], paint: Paint, text: PanelText, body: Body) {
		this.#paint = paint;
		this.#text = text;
		this.#body = body;
		this.#title = new piTui.Text("", 1, 0);
		this.#note = new piTui.Text("", 1, 0);
		this.#hint = new piTui.Text("", 1, 0);
		const border = () => new piCodingAgent.DynamicBorder((line) => paint.theme.fg("border", line));
		this.#parts = [border(), this.#title, new piTui.Spacer(1), this.#hint, border()];
		this.#write();
	}

	get focused(): boolean {
		return this.#focused;
	}

	/** Passed on, so that an input shows its cursor where the terminal's input method expects it. */
	set focused(focused: boolean) {
		this.#focused = focused;
		if ("focused" in this.#body) this.#body.focused = focused;
	}

	/** Shows another body; with a text of its own, or under the present one. */
	show(body: Body, text: PanelText = this.#text): void {
		this.#body = body;
		this.#text = text;
		this.focused = this.#focused;
		this.note("");
		this.#write();
	}

	/** A line below the body, until the next one. */
	note(text: string, color: "dim" | "error" = "dim"): void {
		this.#noteText = text;
		this.#noteColor = color;
		this.#write();
		this.#paint.tui.requestRender();
	}

	handleInput(data: string): void {
		this.#body.handleInput?.(data);
		this.#paint.tui.requestRender();
	}

	invalidate(): void {
		this.#write();
		this.#body.invalidate();
		for (const part of this.#parts) part.invalidate();
	}

	render(width: number): string[] {
		const [top, title, space, hint, bottom] = this.#parts.map((part) => part.render(width));
		const note = this.#noteText === "" ? [] : this.#note.render(width);
		const body = this.#body.render(width);
		return [top, title, space, body, note, space, hint, bottom].flatMap((lines) => lines ?? []);
	}

	/** Colors are baked into a Text, so that a change of theme writes them anew. */
	#write(): void {
		const { theme } = this.#paint;
		this.#title.setText(theme.fg("accent", theme.bold(this.#text.title)));
		this.#hint.setText(theme.fg("dim", this.#text.hint));
		this.#note.setText(theme.fg(this.#noteColor, this.#noteText));
	}
}

/** Rows a list may take so that the panel fits on the screen with some of the transcript above it. */
export function listHeight(tui: TUI, wanted: number, around: number): number {
	return Math.max(4, Math.min(wanted, tui.terminal.rows - around));
}
