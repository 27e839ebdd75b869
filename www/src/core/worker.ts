// The core, off the page's thread. It answers one question after the other; to stop it the page ends the worker.

import init, { Replay, settingsSchema } from "../../wasm/decant.js";
import wasmUrl from "../../wasm/decant_bg.wasm?url";
import { differences } from "./diff.ts";
import type { Ask, Calls, Method, Picture, Reply } from "./protocol.ts";

let replay: Replay | undefined;
let transcriptRead = false;

const post = (reply: Reply) => self.postMessage(reply);

function opened(): Replay {
	if (!replay) throw new Error("No transcript is open.");
	return replay;
}

function picture(): Picture {
	const from = opened();
	return {
		overview: from.overview(),
		requests: from.requests(),
		reasons: from.rewriteReasons(),
		totals: from.totals(),
	};
}

const answers: {
	[M in Method]: (...args: Parameters<Calls[M]>) => ReturnType<Calls[M]> | Promise<ReturnType<Calls[M]>>;
} = {
	async open(file, settings) {
		const bytes = new Uint8Array(await file.arrayBuffer());
		replay = new Replay(bytes, {}, (done, total) => post({ progress: { done, total } }));
		transcriptRead = true;
		// Setting them replays once more, and is how they are judged; most transcripts are opened without any.
		const problems = Object.keys(settings).length > 0 ? replay.setSettings(settings).problems : [];
		return { picture: picture(), problems, schema: settingsSchema() };
	},
	selectLeaf(id) {
		opened().selectLeaf(id);
		return picture();
	},
	setSettings(settings) {
		const { problems } = opened().setSettings(settings);
		return { picture: picture(), problems };
	},
	request: (i) => opened().request(i),
	rows: (i, places) => opened().rows(i, places),
	message: (i, index, side) => opened().message(i, index, side),
	diff: (i, before, after) =>
		differences(opened().message(i, before, "before").text, opened().message(i, after, "after").text),
	query: (i, id) => opened().query(i, id),
	explainCache: (i) => opened().explainCache(i),
	exportRendered: (i) => opened().exportRendered(i),
	report: () => opened().report(),
	settingsJson: () => opened().settingsJson(),
};

const ready = init({ module_or_path: wasmUrl });

self.addEventListener("message", async (event: MessageEvent<Ask>) => {
	const { id, method, args } = event.data;
	try {
		await ready;
		const answer = answers[method] as (...args: unknown[]) => unknown;
		post({ id, value: await answer(...args) });
	} catch (error) {
		post({ id, error: described(error) });
	}
});

/** The core's errors have a code and words for people; anything else is a fault of ours, and says so. */
function described(error: unknown): { code: string; message: string } {
	const code = (error as { code?: unknown }).code;
	const message = error instanceof Error ? error.message : String(error);
	if (typeof code === "string") return { code, message };
	const where = transcriptRead ? "while working on the transcript" : "while reading the file";
	return { code: "internal", message: `Something went wrong ${where}, and the fault is ours: ${message}` };
}
