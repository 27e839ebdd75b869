import type { Component, Markdown } from "@earendil-works/pi-tui";
import type { Paint, Stage } from "./panel.ts";

/** A text to read. */
export interface Reading {
	title: string;
	markdown: string;
}

/** Rows of an overlay that are not text: borders, title, hint and the blank lines between. */
const FRAME_ROWS = 6;

/** Shows Markdown above what is on the screen, until the user closes it. */
export function read({ ctx, host }: Stage, reading: Reading): Promise<void> {
	return ctx.ui.custom<void>(
		(tui, theme, _keybindings, done) => new Pane(host, { tui, theme }, reading, () => done()),
		{
			overlay: true,
			overlayOptions: { width: "90%", minWidth: 40, maxHeight: "90%", anchor: "center" },
		},
	);
}

/**
 * pi's Markdown in a window that scrolls. pi's own ScrollView gets its height from the full-screen layout only; an
 * overlay in the regular screen has to cut the lines itself.
 */
class Pane implements Component {
	readonly capturesViewportInput = true;
	readonly #host: Stage["host"];
	readonly #paint: Paint;
	readonly #reading: Reading;
	readonly #close: () => void;
	readonly #markdown: Markdown;
	#top = 0;
	/** Of the newest render. */
	#lines = 0;

	constructor(host: Stage["host"], paint: Paint, reading: Reading, close: () => void) {
		this.#host = host;
		this.#paint = paint;
		this.#reading = reading;
		this.#close = close;
		this.#markdown = new host.piTui.Markdown(reading.markdown, 0, 0, host.piCodingAgent.getMarkdownTheme());
	}

	handleInput(data: string): void {
		const { matchesKey } = this.#host.piTui;
		const page = this.#rows();
		if (matchesKey(data, "escape") || matchesKey(data, "ctrl+o") || matchesKey(data, "ctrl+c") || data === "q") {
			this.#close();
			return;
		}
		if (matchesKey(data, "up") || data === "k") this.#scroll(-1);
		else if (matchesKey(data, "down") || data === "j") this.#scroll(1);
		else if (matchesKey(data, "pageUp")) this.#scroll(-page);
		else if (matchesKey(data, "pageDown") || matchesKey(data, "space")) this.#scroll(page);
		else if (matchesKey(data, "home")) this.#scroll(-this.#lines);
		else if (matchesKey(data, "end")) this.#scroll(this.#lines);
	}

	invalidate(): void {
		this.#markdown.invalidate();
	}

	render(width: number): string[] {
		const { theme } = this.#paint;
		const { truncateToWidth, visibleWidth } = this.#host.piTui;
		const inner = Math.max(1, width - 4);
		const lines = this.#markdown.render(inner);
		this.#lines = lines.length;
		const rows = Math.min(this.#rows(), lines.length);
		this.#top = Math.max(0, Math.min(this.#top, lines.length - rows));
		const shown = lines.slice(this.#top, this.#top + rows);
		const edge = (text: string) => theme.fg("border", text);
		const line = (text: string) => {
			const cut = truncateToWidth(text, inner, "…");
			return `${edge("│ ")}${cut}${" ".repeat(Math.max(0, inner - visibleWidth(cut)))}${edge(" │")}`;
		};
		const rule = "─".repeat(Math.max(0, width - 2));
		const where =
			rows < lines.length ? `${this.#top + 1}-${this.#top + rows} of ${lines.length} lines · ↑↓ scroll · ` : "";
		return [
			edge(`┌${rule}┐`),
			line(theme.fg("accent", theme.bold(this.#reading.title))),
			line(""),
			...shown.map(line),
			line(""),
			line(theme.fg("dim", `${where}Esc close`)),
			edge(`└${rule}┘`),
		];
	}

	/** Lines of text that fit. */
	#rows(): number {
		return Math.max(3, Math.floor(this.#paint.tui.terminal.rows * 0.9) - FRAME_ROWS);
	}

	#scroll(by: number): void {
		this.#top = Math.max(0, Math.min(this.#top + by, this.#lines - this.#rows()));
		this.#paint.tui.requestRender();
	}
}
