import { epochWords, outcomeWords } from "./epoch-words.ts";
import type { BatchNode, BlockNode, EpochNode, ResultNode } from "./epochs.ts";
import { clock, count, short, tokensOf } from "./format.ts";

/** What a row of the tree stands for. */
export type TreeNode =
	| { kind: "epoch"; epoch: EpochNode }
	| { kind: "batch"; batch: BatchNode }
	| { kind: "block"; block: BlockNode }
	| { kind: "result"; result: ResultNode; batch: BatchNode };

/** One line of the tree. */
export interface TreeRow {
	/** The same for the same node, whatever is folded. */
	id: string;
	node: TreeNode;
	/** Whether its children are shown; absent where it has none. */
	open?: boolean;
	/** Indented, with the mark of the fold. */
	text: string;
	/** What it holds and what that became, in tokens. */
	sizes: string;
}

/** The lines of the tree, oldest epoch first; `isOpen` tells by id whose children are shown. */
export function treeRows(epochs: readonly EpochNode[], isOpen: (id: string) => boolean, now: number): TreeRow[] {
	const rows: TreeRow[] = [];
	for (const [at, epoch] of epochs.entries()) {
		const id = epochId(at);
		const open = isOpen(id);
		const hasChildren = epoch.batches.length + epoch.blocks.length > 0;
		rows.push({
			id,
			node: { kind: "epoch", epoch },
			...(hasChildren ? { open } : {}),
			text: `${mark(hasChildren, open)}${clock(epoch.timestamp, now)}  ${epochWords(epoch)}`,
			sizes: epochSizes(epoch),
		});
		if (open) rows.push(...batchRows(epoch, id, isOpen), ...epoch.blocks.map((block) => blockRow(block, id)));
	}
	return rows;
}

/** The id of an epoch's row. */
export function epochId(at: number): string {
	return `e${at}`;
}

function batchRows(epoch: EpochNode, parent: string, isOpen: (id: string) => boolean): TreeRow[] {
	const rows: TreeRow[] = [];
	for (const [at, batch] of epoch.batches.entries()) {
		const id = `${parent}/${at}`;
		const open = isOpen(id);
		rows.push({
			id,
			node: { kind: "batch", batch },
			...(batch.results.length > 0 ? { open } : {}),
			text: `  ${mark(batch.results.length > 0, open)}turn ${batch.turn}  ${outcomeWords(batch)}`,
			sizes: batchSizes(batch),
		});
		if (!open) continue;
		for (const result of batch.results) {
			rows.push({
				id: `${id}/${result.entryId}`,
				node: { kind: "result", result, batch },
				text: `      ${result.ref?.padEnd(4) ?? "-   "} ${resultWords(result)}`,
				sizes: resultSizes(result),
			});
		}
	}
	return rows;
}

function blockRow(block: BlockNode, parent: string): TreeRow {
	const merged = block.merged.length > 0 ? `, with ${block.merged.join(", ")} in it` : "";
	return {
		id: `${parent}/${block.id}`,
		node: { kind: "block", block },
		text: `    block ${block.id}  a finished task`,
		sizes: `${count(block.refs.length, "result")}, ${tokens(block.body.length)} tokens now${merged}`,
	};
}

/** The tool and what it was about. */
export function resultWords({ tool, path }: ResultNode): string {
	return path ? `${tool} ${path}` : tool;
}

function mark(hasChildren: boolean, open: boolean): string {
	return hasChildren ? (open ? "▾ " : "▸ ") : "  ";
}

function epochSizes(epoch: EpochNode): string {
	const results = epoch.batches.reduce((sum, batch) => sum + batch.results.length, 0);
	const parts = results > 0 ? [count(results, "result")] : [];
	if (epoch.blocks.length > 0) parts.push(count(epoch.blocks.length, "block"));
	if (epoch.savedUnits > 0) parts.push(`${tokens(epoch.savedUnits)} tokens saved`);
	return parts.join(", ");
}

function batchSizes(batch: BatchNode): string {
	const became = batch.text === undefined ? "" : `->${tokens(batch.text.length)}`;
	return `${count(batch.results.length, "result")}, ${tokens(batch.rawUnits)}${became}`;
}

function resultSizes({ units, same, spillPath }: ResultNode): string {
	return [tokens(units), ...(same ? [`same as ${same}`] : []), ...(spillPath ? ["in a file"] : [])].join(", ");
}

function tokens(units: number): string {
	return short(tokensOf(units));
}
