import type { EntryRenderer, ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Host } from "../host.ts";
import { epochWords } from "./epoch-words.ts";
import { summaryForPeople } from "./epochs.ts";
import { count, refList, short, tokensOf } from "./format.ts";

/** Type of the entries we write. */
const EPOCH_TYPE = "context-prune-epoch";

/** What is read of an epoch's data; any of it may be missing in a session from elsewhere. */
interface EpochData {
	reason?: unknown;
	trigger?: unknown;
	batches?: unknown;
	blocks?: unknown;
	predicted?: { removedUnits?: unknown; addedUnits?: unknown };
}

interface BatchData {
	outcome: string;
	text?: string;
	turn?: number;
	refs: string[];
	results: number;
}

/** Shows each epoch in the transcript: one dim line, expanded with the summaries. */
export function registerEpochRenderer(pi: Pick<ExtensionAPI, "registerEntryRenderer">, host: Host): void {
	const { piTui, piCodingAgent } = host;
	const renderer: EntryRenderer<EpochData> = ({ data }, { expanded }, theme) => {
		const batches = batchesOf(data ?? {});
		const line = new piTui.Text(theme.fg("dim", epochLine(data ?? {}, batches)), 1, 0);
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

/** `pruned 7 results, 38k -> 2k tokens (t1..t7)`, with the blocks made beside. */
function epochLine(data: EpochData, batches: readonly BatchData[]): string {
	const reason = String(data.reason ?? "flush");
	const trigger = String(data.trigger ?? "");
	const pruned = batches.filter(({ text, outcome }) => text !== undefined || outcome === "spilled");
	const results = pruned.reduce((sum, batch) => sum + batch.results, 0);
	const blocks = blocksOf(data).map(({ id }) => id);
	const tasks = `${count(blocks.length, "block")} for finished tasks (${blocks.join(", ")})`;
	if (results === 0 && blocks.length > 0) return `pi-decant: ${tasks}, ${sizes(data)} tokens`;
	if (results === 0) return `pi-decant: ${epochWords({ reason, trigger })}`;
	const refs = refList(pruned.flatMap(({ refs }) => refs));
	const verb = reason === "spill" ? "put into files:" : "pruned";
	const line = `pi-decant: ${verb} ${count(results, "result")}, ${sizes(data)} tokens${refs ? ` (${refs})` : ""}`;
	return blocks.length > 0 ? `${line}, ${tasks}` : line;
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
		const { outcome, text, turn, results } = batch as Record<string, unknown>;
		const listed = Array.isArray(results) ? results : [];
		return [
			{
				outcome: String(outcome),
				...(typeof text === "string" ? { text } : {}),
				...(typeof turn === "number" ? { turn } : {}),
				refs: listed.flatMap((result) => (typeof result?.ref === "string" ? [result.ref] : [])),
				results: listed.length,
			},
		];
	});
}
