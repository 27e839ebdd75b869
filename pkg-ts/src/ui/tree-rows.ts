import { epochWords, outcomeWords } from "./epoch-words.ts";
import type { BatchNode, BlockNode, EpochNode, ResultNode } from "./epochs.ts";
import { clock, count, short, tokensOf } from "./format.ts";
import { isChanging, PURGED, prunedWords, tally } from "./tally.ts";

/** What a row of the tree stands for. */
export type TreeNode =
	| { kind: "epoch"; epoch: EpochNode }
	| { kind: "batch"; batch: BatchNode }
	| { kind: "block"; block: BlockNode }
	| { kind: "result"; result: ResultNode };

/** One line of the tree. */
export interface TreeRow {
	/** The same for the same node, whatever is folded: its place, since entries and refs may repeat. */
	id: string;
	node: TreeNode;
	/** Whether its children are shown; absent where it has none. */
	open?: boolean;
	/** Indented, with the mark of the fold. */
	text: string;
	/** What it holds and what that became, in tokens. */
	sizes: string;
	/** The one figure of it that matters most, where there is no room for all. */
	figure: string;
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
			// What the original archived has the time of its newest result; its oldest records have none.
			text: `${mark(hasChildren, open)}${[...(epoch.timestamp > 0 ? [clock(epoch.timestamp, now)] : []), epochWords(epoch)].join("  ")}`,
			sizes: epochSizes(epoch),
			figure: epoch.savedUnits > 0 ? `-${tokens(epoch.savedUnits)}` : "",
		});
		if (open)
			rows.push(
				...batchRows(epoch, id, isOpen),
				...epoch.blocks.flatMap((block, n) => blockRows(block, `${id}/b${n}`, isOpen)),
			);
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
			sizes: `${count(batch.results.length, batch.outcome === PURGED ? "call" : "result")}, ${batchFigure(batch)}`,
			figure: batchFigure(batch),
		});
		if (open) rows.push(...batch.results.map((result, n) => resultRow(result, `${id}/${n}`)));
	}
	return rows;
}

/** A block, and the results that no flush had archived before it. */
function blockRows(block: BlockNode, id: string, isOpen: (id: string) => boolean): TreeRow[] {
	const merged = block.merged.length > 0 ? `, with ${block.merged.join(", ")} in it` : "";
	const hasChildren = block.results.length > 0;
	const open = isOpen(id);
	const row: TreeRow = {
		id,
		node: { kind: "block", block },
		...(hasChildren ? { open } : {}),
		text: `  ${mark(hasChildren, open)}block ${block.id}  a finished task`,
		sizes: `${count(block.refs.length, "result")}, ${tokens(block.body.length)} tokens now${merged}`,
		figure: `->${tokens(block.body.length)}`,
	};
	return hasChildren && open ? [row, ...block.results.map((result, n) => resultRow(result, `${id}/${n}`))] : [row];
}

function resultRow(result: ResultNode, id: string): TreeRow {
	return {
		id,
		node: { kind: "result", result },
		text: `      ${result.ref?.padEnd(4) ?? "-   "} ${resultWords(result)}`,
		sizes: resultSizes(result),
		figure: tokens(result.units),
	};
}

/** The tool and what it was about. */
export function resultWords({ tool, path }: ResultNode): string {
	return path ? `${tool} ${path}` : tool;
}

function mark(hasChildren: boolean, open: boolean): string {
	return hasChildren ? (open ? "▾ " : "▸ ") : "  ";
}

/** What is said of the whole branch. */
export function treeTitle(epochs: readonly EpochNode[]): string {
	const counted = tally(epochs);
	const { left } = counted;
	const changing = epochs.filter(isChanging);
	const rest = left > 0 ? `, ${left.toLocaleString("en-US")} left as ${left === 1 ? "it is" : "they are"}` : "";
	if (changing.length === 0) return `Nothing pruned on this branch yet${rest}`;
	const blocks = epochs.flatMap((epoch) => epoch.blocks);
	const what = prunedWords(counted) || `${count(blocks.length, "block")} for finished tasks`;
	return `Pruned on this branch: ${what} in ${count(changing.length, "epoch")}${rest}`;
}

/** What one epoch did, whatever later ones made of it. */
function epochSizes(epoch: EpochNode): string {
	const { pruned, purged, left } = tally([epoch]);
	const parts = pruned > 0 ? [count(pruned, "result")] : [];
	if (purged > 0) parts.push(count(purged, "call"));
	if (epoch.blocks.length > 0) parts.push(count(epoch.blocks.length, "block"));
	if (left > 0) parts.push(parts.length > 0 ? `${left} left` : `${count(left, "result")} left`);
	if (epoch.savedUnits > 0) parts.push(`${tokens(epoch.savedUnits)} tokens saved`);
	return parts.join(", ");
}

function batchFigure(batch: BatchNode): string {
	const became = batch.text === undefined ? "" : `->${tokens(batch.text.length)}`;
	return `${tokens(batch.rawUnits)}${became}`;
}

function resultSizes({ units, same, spillPath }: ResultNode): string {
	return [tokens(units), ...(same ? [`same as ${same}`] : []), ...(spillPath ? ["in a file"] : [])].join(", ");
}

function tokens(units: number): string {
	return short(tokensOf(units));
}
