// The session the demo plays: a bug hunt over four large outputs, then questions that no longer need them.

import { file } from "../harness/fixtures.ts";
import type { ScriptedCall, Step } from "../harness/server.ts";

export const files: Record<string, string> = {
	"src/importer.ts": file(21, "code", 34_000),
	"src/schema.ts": file(22, "code", 22_000),
	"logs/import.log": file(23, "log", 40_000),
	"data/sample.json": file(24, "json", 16_000),
};

export interface Beat {
	/** What the request comes after, as the table says it. */
	after: string;
	step: Step;
	/** Played only in the run with pi-decant: asking for an original back. */
	recovery?: boolean;
}

export interface Scene {
	prompt: string;
	beats: Beat[];
	/** Whether its results are worth a summary, which the player then waits for before the next prompt. */
	flushes: boolean;
}

const read = (path: string): ScriptedCall => ({ name: "read", args: { path } });
const bash = (command: string): ScriptedCall => ({ name: "bash", args: { command } });

function beats(
	prompt: string,
	turns: { lead?: string; calls: ScriptedCall[]; shown: string; recovery?: boolean }[],
	reply: string,
): Beat[] {
	let after = `"${prompt}"`;
	const played = turns.map(({ lead, calls, shown, recovery }): Beat => {
		const beat: Beat = { after, step: { ...(lead ? { text: lead } : {}), calls }, ...(recovery ? { recovery } : {}) };
		// What comes after a recovery is what came before it, where there was none.
		after = shown;
		return beat;
	});
	return [...played, { after, step: { text: reply } }];
}

function scene(prompt: string, flushes: boolean, turns: Parameters<typeof beats>[1], reply: string): Scene {
	return { prompt, flushes, beats: beats(prompt, turns, reply) };
}

export const scenes: Scene[] = [
	scene(
		"Why does the import drop rows?",
		true,
		[
			{ lead: "I read the importer first.", calls: [read("src/importer.ts")], shown: "read src/importer.ts" },
			{ calls: [read("src/schema.ts")], shown: "read src/schema.ts" },
			{
				lead: "Now what really happened.",
				calls: [bash("cat logs/import.log"), read("data/sample.json")],
				shown: "bash cat logs/import.log, read data/sample.json",
			},
		],
		"Rows without an id are skipped silently: the importer's guard returns early. The schema allows them.",
	),
	scene(
		"Fix it, keep the skip count.",
		false,
		[
			{ calls: [bash("echo patched > patched.txt")], shown: "bash echo patched" },
			{ calls: [bash("echo 42 tests passed")], shown: "bash echo 42 tests passed" },
		],
		"Done: the guard counts what it skips, and the count is reported at the end. Tests pass.",
	),
	scene(
		"What does the schema say about ids, to the letter?",
		false,
		[
			{
				calls: [{ name: "context_tree_query", args: { toolCallIds: ["t2"] } }],
				shown: "context_tree_query t2",
				recovery: true,
			},
		],
		"It declares the id optional, so the fix is in the right place.",
	),
	scene(
		"Write the changelog line.",
		false,
		[
			{ calls: [bash("echo '- Skipped rows are counted.' >> CHANGELOG.md")], shown: "bash echo >> CHANGELOG.md" },
			{ calls: [bash("tail -n 1 CHANGELOG.md")], shown: "bash tail -n 1 CHANGELOG.md" },
		],
		"Written: skipped rows are counted and reported.",
	),
	scene("And a commit message.", false, [], "importer: count and report skipped rows"),
];
