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

/** Columns the sizes beside a row need at most. */
const SIZES_COLUMN = 34;

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
	#rows: TreeRow[] = [];
	#list!: SelectList;
	#width = 0;

	constructor(host: Stage["host"], paint: Paint, parts: TreeViewParts, close: () => void) {
		this.#host = host;
		this.#paint = paint;
		this.#parts = parts;
		this.#close = close;
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
		const items = this.#rows.map(({ id, text, sizes }) => ({ value: id, label: text, description: sizes }));
		const column = Math.max(24, Math.min(72, this.#width - SIZES_COLUMN));
		this.#list = new piTui.SelectList(items, listHeight(this.#paint.tui, 24, 14), piCodingAgent.getSelectListTheme(), {
			minPrimaryColumnWidth: column,
			maxPrimaryColumnWidth: column,
			truncatePrimary: ({ text, maxWidth }) => piTui.truncateToWidth(text, maxWidth, "…"),
		});
		this.#list.onCancel = this.#close;
		const at = this.#rows.findIndex(({ id }) => id === selected);
		if (at > 0) this.#list.setSelectedIndex(at);
	}
}
