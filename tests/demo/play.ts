// Plays the scenes through a real pi, with or without pi-decant, and keeps what the server received and pi booked.

import { extensionEntry } from "../harness/paths.ts";
import { startRpc } from "../harness/rpc.ts";
import { createSandbox, readSession } from "../harness/sandbox.ts";
import { type ModelRequest, startServer } from "../harness/server.ts";
import { type Beat, files, scenes } from "./scenario.ts";

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
}

export async function play(withDecant: boolean): Promise<Play> {
	const beats = scenes.flatMap((scene) => scene.beats.filter((beat) => withDecant || !beat.recovery));
	const server = await startServer({ agent: beats.map((beat) => beat.step) });
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
			const isEpoch = (record: object) => JSON.stringify(record).includes('"context-prune-epoch"');
			const record = await pi.next((each) => each.type === "entry_appended" && isEpoch(each), "the flush", from);
			const { batches } = (record.entry as { data: EpochData }).data;
			const summarized = batches.filter((batch) => batch.outcome === "summarized");
			flushes.push({
				before: server.of("agent").length,
				results: summarized.reduce((sum, batch) => sum + batch.results.length, 0),
				batches: summarized.length,
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
