import type { EntryRenderer, ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Host } from "../host.ts";
import { summaryForPeople } from "./epochs.ts";
import { count, refList, short, tokensOf } from "./format.ts";
import { type Counted, resultsWords, tally } from "./tally.ts";

/** Type of the entries we write. */
const EPOCH_TYPE = "context-prune-epoch";

/** What is read of an epoch's data; any of it may be missing in a session from elsewhere. */
interface EpochData {
	reason?: unknown;
	batches?: unknown;
	blocks?: unknown;
	predicted?: { removedUnits?: unknown; addedUnits?: unknown };
}

interface BatchData extends Counted {
	text?: string;
}

/**
 * Shows each epoch in the transcript that took something away: one dim line, expanded with the summaries.
 *
 * A flush that left everything as it is shows nothing, and neither does a change of settings: the command that made it
 * has answered. `/pruner tree` has them all.
 */
export function registerEpochRenderer(pi: Pick<ExtensionAPI, "registerEntryRenderer">, host: Host): void {
	const { piTui, piCodingAgent } = host;
	const renderer: EntryRenderer<EpochData> = ({ data }, { expanded }, theme) => {
		const batches = batchesOf(data ?? {});
		const text = epochLine(data ?? {}, batches);
		if (text === undefined) return undefined;
		const line = new piTui.Text(theme.fg("dim", text), 1, 0);
		const blocks = blocksOf(data ?? {});
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
	pi.registerEntryRenderer<EpochData>(EPOCH_TYPE, renderer);
}

/** `pruned 7 results, 38k -> 2k tokens (t1..t7)`, with the blocks made beside; nothing where nothing was taken away. */
function epochLine(data: EpochData, batches: readonly BatchData[]): string | undefined {
	const counted = tally(batches);
	const blocks = blocksOf(data).map(({ id }) => id);
	const tasks = blocks.length > 0 ? [`${count(blocks.length, "block")} for finished tasks (${blocks.join(", ")})`] : [];
	if (counted.pruned === 0) return tasks[0] && `pi-decant: ${tasks[0]}, ${sizes(data)} tokens`;
	const refs = refList(counted.refs);
	const verb = data.reason === "spill" ? "put into files:" : "pruned";
	const line = `pi-decant: ${verb} ${resultsWords(counted)}, ${sizes(data)} tokens${refs ? ` (${refs})` : ""}`;
	return [line, ...tasks].join(", ");
}

function blocksOf({ blocks }: EpochData): { id: string; body: string }[] {
	if (!Array.isArray(blocks)) return [];
	return blocks.flatMap((block: unknown) => {
		if (typeof block !== "object" || block === null) return [];
		const { id, body } = block as Record<string, unknown>;
		return typeof id === "string" ? [{ id, body: typeof body === "string" ? body : "" }] : [];
	});
}

function sizes({ predicted }: EpochData): string {
	const tokens = (units: unknown) => short(tokensOf(typeof units === "number" ? units : 0));
	return `${tokens(predicted?.removedUnits)} -> ${tokens(predicted?.addedUnits)}`;
}

function batchesOf({ batches }: EpochData): BatchData[] {
	if (!Array.isArray(batches)) return [];
	return batches.flatMap((batch: unknown) => {
		if (typeof batch !== "object" || batch === null) return [];
		const { outcome, text, results } = batch as Record<string, unknown>;
		const listed = Array.isArray(results) ? results : [];
		return [
			{
				outcome: String(outcome),
				...(typeof text === "string" ? { text } : {}),
				results: listed.map((result) => (typeof result?.ref === "string" ? { ref: result.ref } : {})),
			},
		];
	});
}
