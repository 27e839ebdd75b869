// The session the demo plays: a bug hunt over four large outputs, then questions that no longer need them.

import { file } from "../harness/fixtures.ts";
import { labelledSummary, type ModelRequest, type ScriptedCall, type Step, textOf } from "../harness/server.ts";

export const files: Record<string, string> = {
	"src/importer.ts": file(21, "code", 34_000),
	"src/schema.ts": file(22, "code", 22_000),
	"logs/import.log": file(23, "log", 40_000),
	"data/sample.json": file(24, "json", 16_000),
};

/** How much of each output the model asks for when it opens a block, in characters. */
export const LIMIT = 1_500;

export interface Beat {
	/** What the request comes after, as the table says it. */
	after: string;
	step: Step;
	/** Played only in the run with pi-decant: asking for the original of this ref back. */
	recovery?: string;
}

export interface Scene {
	prompt: string;
	beats: Beat[];
	/** Whether its results are worth a summary, or a task has grown old: the player waits for that before the next prompt. */
	flushes: boolean;
}

const read = (path: string): ScriptedCall => ({ name: "read", args: { path } });
const bash = (command: string): ScriptedCall => ({ name: "bash", args: { command } });

function beats(
	prompt: string,
	turns: { lead?: string; calls: ScriptedCall[]; shown: string; recovery?: string }[],
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
				recovery: "t2",
			},
		],
		"It declares the id optional, so the fix is in the right place.",
	),
	scene(
		"Write the changelog line.",
		// The first task is the fourth from the end then: it becomes a block.
		true,
		[
			{ calls: [bash("echo '- Skipped rows are counted.' >> CHANGELOG.md")], shown: "bash echo >> CHANGELOG.md" },
			{ calls: [bash("tail -n 1 CHANGELOG.md")], shown: "bash tail -n 1 CHANGELOG.md" },
		],
		"Written: skipped rows are counted and reported.",
	),
	scene("And a commit message.", false, [], "importer: count and report skipped rows"),
	scene(
		"Does anything else read the sample?",
		false,
		[
			{ calls: [bash("grep -rl sample.json src || true")], shown: "bash grep sample.json" },
			{ calls: [bash("ls src")], shown: "bash ls src" },
		],
		"No, only the importer does.",
	),
	scene(
		"Show me the guard you found at the very beginning.",
		false,
		[
			{
				calls: [{ name: "context_tree_query", args: { toolCallIds: ["b1"], limit: LIMIT } }],
				shown: "context_tree_query b1",
				recovery: "b1",
			},
		],
		"Here it is, as the importer had it before the fix.",
	),
];

/** Batches as the harness summarizes them; the summaries of a block as one text. */
export function summarizer(request: ModelRequest): Step {
	const isFusion = request.body.messages.some((message) => textOf(message).includes("<sub-task-summaries>"));
	if (!isFusion) return labelledSummary(request);
	return {
		text: "- `t1`, `t2`: the importer skips rows without an id, and the schema allows such rows.\n- `t3`, `t4`: the log and the sample show it happening.",
	};
}
