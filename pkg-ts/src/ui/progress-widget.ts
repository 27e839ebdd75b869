import type { ExtensionContext, Theme, ThemeColor } from "@earendil-works/pi-coding-agent";
import type { Component, Loader, TUI } from "@earendil-works/pi-tui";
import type { Host } from "../host.ts";
import type { ProgressView } from "./progress.ts";
import { type BoardRow, ProgressBoard } from "./progress-board.ts";

/** The original's key, which is ours now. */
const WIDGET_KEY = "context-prune-progress";

/** A progress display while it is on the screen. */
export interface ShownProgress {
	view: ProgressView;
	/** Aborted by Esc. */
	signal: AbortSignal;
	hide(): void;
}

const MARK_COLORS: Readonly<Record<BoardRow["mark"], ThemeColor>> = {
	spinner: "accent",
	"✓": "success",
	"⚠": "warning",
	"✗": "error",
	"○": "dim",
};

/** Shows a flush above the editor: live in the TUI, as lines to an RPC client, not at all without either. */
export function showProgress(ctx: Pick<ExtensionContext, "mode" | "hasUI" | "ui">, host: Host): ShownProgress {
	const controller = new AbortController();
	if (ctx.mode === "tui") return inTui(ctx.ui, host, controller);
	let shown: string | undefined;
	const board: ProgressBoard = new ProgressBoard(() => {
		if (!ctx.hasUI) return;
		// A client redraws all of it: only a row that changes its mark is worth that.
		const marks = board.rows.map(({ mark }) => mark).join("");
		if (marks === shown) return;
		shown = marks;
		ctx.ui.setWidget(WIDGET_KEY, plainLines(board));
	});
	return {
		view: board,
		signal: controller.signal,
		hide: () => {
			if (shown !== undefined) ctx.ui.setWidget(WIDGET_KEY, undefined);
		},
	};
}

function plainLines(board: ProgressBoard): string[] {
	return [board.title ?? "", ...board.rows.map(({ mark, text }) => `${mark === "spinner" ? "…" : mark} ${text}`)];
}

function inTui(ui: ExtensionContext["ui"], host: Host, controller: AbortController): ShownProgress {
	let widget: ProgressWidget | undefined;
	const board = new ProgressBoard(() => {
		if (widget) widget.changed();
		else ui.setWidget(WIDGET_KEY, (tui, theme) => (widget = new ProgressWidget(host, tui, theme, board)));
	});
	const unlisten = ui.onTerminalInput((data) => {
		// Once only: a second Esc is for whoever else waits for one.
		if (controller.signal.aborted || !widget || !host.piTui.matchesKey(data, "escape")) return undefined;
		controller.abort();
		return { consume: true };
	});
	return {
		view: board,
		signal: controller.signal,
		hide: () => {
			unlisten();
			if (widget) ui.setWidget(WIDGET_KEY, undefined);
		},
	};
}

/** A line for the whole, and one for each batch; pi's loader spins in front of those being summarized. */
class ProgressWidget implements Component {
	readonly #host: Host;
	readonly #theme: Theme;
	readonly #tui: TUI;
	readonly #board: ProgressBoard;
	readonly #spinner: Loader;

	constructor(host: Host, tui: TUI, theme: Theme, board: ProgressBoard) {
		this.#host = host;
		this.#tui = tui;
		this.#theme = theme;
		this.#board = board;
		this.#spinner = new host.piTui.Loader(
			tui,
			(frame) => theme.fg(MARK_COLORS.spinner, frame),
			(text) => text,
			"",
		);
	}

	changed(): void {
		this.#tui.requestRender();
	}

	/** pi calls it when the widget goes. */
	dispose(): void {
		this.#spinner.stop();
	}

	invalidate(): void {
		this.#spinner.invalidate();
	}

	render(width: number): string[] {
		const { truncateToWidth } = this.#host.piTui;
		const theme = this.#theme;
		// One loader for all: its frame is what it renders with an empty message.
		const frame = this.#spinner.render(width).join("").trim();
		const title = `${theme.bold(this.#board.title ?? "")}${theme.fg("dim", " · Esc cancels")}`;
		const rows = this.#board.rows.map(({ mark, text }) => {
			const sign = mark === "spinner" ? frame : theme.fg(MARK_COLORS[mark], mark);
			return `${sign} ${mark === "spinner" ? text : theme.fg("muted", text)}`;
		});
		return [title, ...rows].map((line) => truncateToWidth(` ${line}`, width, "…"));
	}
}
