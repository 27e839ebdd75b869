import type { Component, SelectList } from "@earendil-works/pi-tui";
import type { EpochNode } from "./epochs.ts";
import { listHeight, type Paint, Panel, type Stage } from "./panel.ts";
import { epochId, type TreeNode, type TreeRow, treeRows } from "./tree-rows.ts";

/** What the browser shows. */
export interface TreeViewParts {
	epochs: readonly EpochNode[];
	/** ms since 1970. */
	now: number;
	title: string;
	/** Opens what a batch or a call stands for. */
	open: (node: Exclude<TreeNode, { kind: "epoch" }>) => void;
}

/** Columns the sizes beside a row get at most. */
const SIZES_COLUMNS = 46;

/** With fewer columns than that for its text, a row has only its figure beside it. */
const TEXT_COLUMNS = 30;

/** What pi's list takes of a line: the cursor, and two columns it leaves free. */
const LIST_MARGIN = 4;

/** Epochs, their batches and calls, to fold and to open. Resolves when the user is done. */
export function showTree({ ctx, host }: Stage, parts: TreeViewParts): Promise<void> {
	return ctx.ui.custom<void>((tui, theme, _keybindings, done) => {
		const paint = { tui, theme };
		const hint = "↑↓ move · ←→ or Space fold · Enter open · Esc close";
		return new Panel(host, paint, { title: parts.title, hint }, new TreeView(host, paint, parts, () => done()));
	});
}

/** pi's select list over the rows that are not folded away. */
class TreeView implements Component {
	readonly #host: Stage["host"];
	readonly #paint: Paint;
	readonly #parts: TreeViewParts;
	readonly #close: () => void;
	readonly #open = new Set<string>();
	/** Columns of the longest sizes, on the screen or folded away: folding must not move them. */
	readonly #sizesWidth: number;
	#rows: TreeRow[] = [];
	#list!: SelectList;
	#width = 0;

	constructor(host: Stage["host"], paint: Paint, parts: TreeViewParts, close: () => void) {
		this.#host = host;
		this.#paint = paint;
		this.#parts = parts;
		this.#close = close;
		const all = treeRows(parts.epochs, () => true, parts.now);
		this.#sizesWidth = Math.max(...all.map(({ sizes }) => host.piTui.visibleWidth(sizes)));
		const newest = epochId(parts.epochs.length - 1);
		this.#open.add(newest);
		this.#build(newest);
	}

	handleInput(data: string): void {
		const { matchesKey } = this.#host.piTui;
		const row = this.#rows.find(({ id }) => id === this.#list.getSelectedItem()?.value);
		if (data === "q") this.#close();
		else if (row && matchesKey(data, "space")) this.#fold(row, row.open === false);
		else if (row && matchesKey(data, "right")) this.#fold(row, true);
		else if (row && matchesKey(data, "left")) this.#fold(row.open ? row : this.#parent(row), false);
		else if (row && (matchesKey(data, "ctrl+o") || matchesKey(data, "enter"))) this.#enter(row);
		else this.#list.handleInput(data);
	}

	invalidate(): void {
		this.#list.invalidate();
	}

	render(width: number): string[] {
		if (width !== this.#width) {
			this.#width = width;
			this.#build(this.#list.getSelectedItem()?.value);
		}
		return this.#list.render(width);
	}

	#enter(row: TreeRow): void {
		const { node } = row;
		const isSummarized = node.kind === "batch" && node.batch.text !== undefined;
		if (node.kind !== "epoch" && (node.kind !== "batch" || isSummarized)) this.#parts.open(node);
		else this.#fold(row, row.open === false);
	}

	#fold(row: TreeRow, open: boolean): void {
		if (row.open === undefined) return;
		if (open) this.#open.add(row.id);
		else this.#open.delete(row.id);
		this.#build(row.id);
	}

	#parent(row: TreeRow): TreeRow {
		const id = row.id.slice(0, row.id.lastIndexOf("/"));
		return this.#rows.find((each) => each.id === id) ?? row;
	}

	/** The list anew, with `selected` under the cursor. */
	#build(selected: string | undefined): void {
		const { epochs, now } = this.#parts;
		const { piTui, piCodingAgent } = this.#host;
		this.#rows = treeRows(epochs, (id) => this.#open.has(id), now);
		const room = this.#width - LIST_MARGIN;
		const sizes = Math.min(SIZES_COLUMNS, this.#sizesWidth);
		const isWide = room - sizes >= TEXT_COLUMNS;
		const column = Math.min(72, room - sizes);
		const items = this.#rows.map((row) => ({
			value: row.id,
			label: isWide ? row.text : this.#narrow(row, room),
			...(isWide ? { description: piTui.truncateToWidth(row.sizes, sizes, "…") } : {}),
		}));
		this.#list = new piTui.SelectList(items, listHeight(this.#paint.tui, 24, 14), piCodingAgent.getSelectListTheme(), {
			minPrimaryColumnWidth: column,
			maxPrimaryColumnWidth: column,
			truncatePrimary: ({ text, maxWidth }) => piTui.truncateToWidth(text, maxWidth, "…"),
		});
		this.#list.onCancel = this.#close;
		const at = this.#rows.findIndex(({ id }) => id === selected);
		if (at > 0) this.#list.setSelectedIndex(at);
	}

	/** A row of a narrow screen: its figure at the right edge, its text cut so that both fit. */
	#narrow({ text, figure }: TreeRow, room: number): string {
		const { truncateToWidth, visibleWidth } = this.#host.piTui;
		const cut = truncateToWidth(text, Math.max(8, room - visibleWidth(figure) - 1), "…");
		return `${cut}${" ".repeat(Math.max(1, room - visibleWidth(cut) - visibleWidth(figure)))}${figure}`;
	}
}
