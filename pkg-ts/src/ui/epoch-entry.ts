import type { EntryRenderer, ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Host } from "../host.ts";
import { summaryForPeople } from "./epochs.ts";
import { count, refList, short, tokensOf } from "./format.ts";
import { type CountedEpoch, type CountedResult, PURGED, prunedWords, tally } from "./tally.ts";

/** Type of the entries we write. */
const EPOCH_TYPE = "context-prune-epoch";

/** What an entry says of its epoch. */
interface EpochData extends CountedEpoch {
	/** UTF-16 units that left the request, and those that came in their place. */
	removedUnits: number;
	addedUnits: number;
	batches: BatchData[];
	blocks: { id: string; body: string; results: CountedResult[] }[];
}

interface BatchData {
	outcome: string;
	text?: string;
	results: CountedResult[];
}

/**
 * Shows each epoch in the transcript that took something away: one dim line, expanded with the summaries.
 *
 * A flush that left everything as it is shows nothing, and neither does a change of settings: the command that made it
 * has answered. `/pruner tree` has them all.
 */
export function registerEpochRenderer(pi: Pick<ExtensionAPI, "registerEntryRenderer">, host: Host): void {
	const { piTui, piCodingAgent } = host;
	const renderer: EntryRenderer<unknown> = ({ data }, { expanded }, theme) => {
		const epoch = readEpoch(data);
		const text = epochLine(epoch);
		if (text === undefined) return undefined;
		const line = new piTui.Text(theme.fg("dim", text), 1, 0);
		const { batches, blocks } = epoch;
		const summaries = [
			...batches.flatMap(({ text }) => (text ? [summaryForPeople(text)] : [])),
			...blocks.flatMap(({ id, body }) => (body ? [`**${id}**\n\n${summaryForPeople(body)}`] : [])),
		];
		if (!expanded || summaries.length === 0) return line;
		const all = new piTui.Container();
		all.addChild(line);
		all.addChild(new piTui.Spacer(1));
		const color = (text: string) => theme.fg("muted", text);
		all.addChild(new piTui.Markdown(summaries.join("\n\n"), 1, 0, piCodingAgent.getMarkdownTheme(), { color }));
		return all;
	};
	pi.registerEntryRenderer(EPOCH_TYPE, renderer);
}

/** `pruned 7 results, 38k -> 2k tokens (t1..t7)`, with the blocks made beside; nothing where nothing was taken away. */
function epochLine(epoch: EpochData): string | undefined {
	const counted = tally([epoch]);
	const what = prunedWords(counted);
	const blocks = epoch.blocks.map(({ id }) => id);
	const tasks = blocks.length > 0 ? [`${count(blocks.length, "block")} for finished tasks (${blocks.join(", ")})`] : [];
	const sizes = `${tokens(epoch.removedUnits)} -> ${tokens(epoch.addedUnits)} tokens`;
	if (what === "") return tasks[0] && `pi-decant: ${tasks[0]}, ${sizes}`;
	const refs = refList(counted.refs);
	const verb = epoch.reason === "spill" ? "put into files:" : "pruned";
	return [`pi-decant: ${verb} ${what}, ${sizes}${refs ? ` (${refs})` : ""}`, ...tasks].join(", ");
}

function tokens(units: number): string {
	return short(tokensOf(units));
}

/** An entry's data; any of it may be missing or of another type in a session from elsewhere, and counts as not there. */
function readEpoch(data: unknown): EpochData {
	const { reason, batches, blocks, purged, thinkingBefore, predicted } = fields(data);
	const removedUnits = units(fields(predicted).removedUnits);
	const addedUnits = units(fields(predicted).addedUnits);
	const failed = list(purged).map((purge) => readResult(fields(purge).result));
	return {
		reason: text(reason),
		removedUnits,
		addedUnits,
		// Nobody may take for thinking what has another cause.
		savedUnits: typeof thinkingBefore === "string" ? removedUnits - addedUnits : 0,
		batches: [
			...list(batches).map((batch) => readBatch(fields(batch))),
			...(failed.length > 0 ? [{ outcome: PURGED, results: failed }] : []),
		],
		blocks: list(blocks).flatMap((block) => {
			const { id, body, results } = fields(block);
			return typeof id === "string" ? [{ id, body: text(body), results: list(results).map(readResult) }] : [];
		}),
	};
}

function readBatch({ outcome, text: summary, results }: Fields): BatchData {
	return {
		outcome: text(outcome),
		...(typeof summary === "string" ? { text: summary } : {}),
		results: list(results).map(readResult),
	};
}

function readResult(result: unknown): CountedResult {
	const { entry, ref } = fields(result);
	return { entryId: text(entry), ...(typeof ref === "string" ? { ref } : {}) };
}

type Fields = Record<string, unknown>;

function fields(value: unknown): Fields {
	return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function list(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
	return typeof value === "string" ? value : "";
}

function units(value: unknown): number {
	return typeof value === "number" && Number.isFinite(value) ? Math.max(0, value) : 0;
}
