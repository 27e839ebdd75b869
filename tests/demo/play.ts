// Plays the scenes through a real pi, with or without pi-decant, and keeps what the server received and pi booked.

import { extensionEntry } from "../harness/paths.ts";
import { startRpc } from "../harness/rpc.ts";
import { createSandbox, readSession } from "../harness/sandbox.ts";
import { type ModelRequest, startServer } from "../harness/server.ts";
import { type Beat, files, scenes, summarizer } from "./scenario.ts";

/** Usage of one reply as pi wrote it into its session file. */
export interface Booked {
	input: number;
	cacheRead: number;
	output: number;
	cost: { total: number };
}

export interface Flush {
	/** The first request of the main loop after it. */
	before: number;
	results: number;
	batches: number;
	/** Ids of the blocks it made. */
	blocks: string[];
}

export interface Play {
	requests: ModelRequest[];
	/** What was played, a beat for each request of the main loop. */
	beats: Beat[];
	booked: Booked[];
	flushes: Flush[];
	entries: Record<string, unknown>[];
}

interface EpochData {
	batches: { outcome: string; results: unknown[] }[];
	blocks?: { id: string }[];
}

/** The epoch that a record of pi's tells of. */
function epochOf(record: object): Partial<EpochData> | undefined {
	const { type, entry } = record as { type?: string; entry?: { customType?: string; data?: EpochData } };
	return type === "entry_appended" && entry?.customType === "context-prune-epoch" ? entry.data : undefined;
}

function changes(epoch: Partial<EpochData> | undefined): boolean {
	return epoch?.batches?.some(({ outcome }) => outcome === "summarized") || (epoch?.blocks?.length ?? 0) > 0;
}

export async function play(withDecant: boolean): Promise<Play> {
	const beats = scenes.flatMap((scene) => scene.beats.filter((beat) => withDecant || !beat.recovery));
	const server = await startServer({ agent: beats.map((beat) => beat.step), summarizer });
	const sandbox = createSandbox({ url: server.url, files });
	try {
		// Settings are the defaults: installing is switching on.
		const pi = startRpc(sandbox, { extensions: withDecant ? [extensionEntry] : [] });
		const flushes: Flush[] = [];
		for (const scene of scenes) {
			const from = pi.records.length;
			await pi.prompt(scene.prompt);
			// Summaries are made in the background; the user of the demo takes a breath before the next question.
			if (!withDecant || !scene.flushes) continue;
			// Small outputs leave an epoch too, in which nothing changed; it may come after the next prompt.
			const record = await pi.next((each) => changes(epochOf(each)), "the flush", from);
			const { batches = [], blocks = [] } = epochOf(record) ?? {};
			const summarized = batches.filter((batch) => batch.outcome === "summarized");
			flushes.push({
				before: server.of("agent").length,
				results: summarized.reduce((sum, batch) => sum + batch.results.length, 0),
				batches: summarized.length,
				blocks: blocks.map(({ id }) => id),
			});
		}
		const code = await pi.stop();
		if (code !== 0) throw new Error(`pi ended with ${code}:\n${pi.stderr()}`);
		const entries = readSession(sandbox.sessionFiles().at(-1) ?? "");
		const booked = entries.flatMap((entry) => {
			const message = entry.message as { role?: string; usage?: Booked } | undefined;
			return message?.role === "assistant" && message.usage ? [message.usage] : [];
		});
		return { requests: server.requests, beats, booked, flushes, entries };
	} finally {
		await server.close();
		sandbox.remove();
	}
}
