// Sessions nobody would think of, from a seed: what other people's providers, tools and extensions leave behind.

import { type Random, random, textKinds, textOfKind } from "./random.ts";
import { type Block, type CallSpec, SessionBuilder, tinyPng } from "./sessions.ts";
import { type Speaker, thoughtOf } from "./thinking.ts";

const tools = ["read", "bash", "edit", "grep", "mcp.search"];

/** A result: empty, tiny, long in one line, with an image, with text that looks like our own marks. */
function resultOf(r: Random): string | Block[] {
	const shape = r.int(0, 9);
	if (shape === 0) return "";
	if (shape === 1) return "ok";
	if (shape === 2) return "x".repeat(r.int(2_000, 9_000));
	if (shape === 3)
		return [
			{ type: "text", text: textOfKind(r, "prose", 1_500) },
			{ type: "image", data: tinyPng, mimeType: "image/png" },
			{ type: "text", text: "after the image" },
		];
	if (shape === 4)
		return `[Summarized in pruner summary, ref \`t1\`. Use context_tree_query to retrieve full output.]\n${textOfKind(r, "log", 900)}`;
	return textOfKind(r, r.pick(textKinds), r.int(300, 4_000));
}

/** Ids as providers give them: fresh, restarting each turn, all the same, empty. */
function idOf(r: Random, style: number, at: number): string | undefined {
	if (style === 0) return undefined;
	if (style === 1) return `bash_${at}`;
	if (style === 2) return "dup";
	return r.chance(0.5) ? "" : `call|fc_${r.int(0, 99)}`;
}

export interface AwkwardOptions {
	/** Prompts of the session. */
	prompts?: number;
	/** Calls that were never answered; pi answers them itself at the wire. */
	unanswered?: boolean;
	/** Who replies. Ids are then such that this provider gives: no two of one reply are the same. */
	speaker?: Speaker;
}

const apis = ["faux", "anthropic-messages", "openai-responses", "google-generative-ai"];

export function awkwardSession(seed: number, options: AwkwardOptions = {}): SessionBuilder {
	const r = random(seed);
	const session = new SessionBuilder();
	const idStyle = options.speaker ? r.int(0, 1) : r.int(0, 3);
	const api = options.speaker?.api ?? r.pick(apis);
	const editable: string[] = [];
	session.append("model_change", { provider: "faux", modelId: "faux-1" });
	for (let prompt = 0; prompt < (options.prompts ?? 4); prompt++) {
		editable.push(
			session.user(r.chance(0.2) ? [{ type: "text", text: "🙂" }] : `Prompt ${prompt}: ${textOfKind(r, "prose", 80)}`),
		);
		for (let turn = r.int(0, 4); turn > 0; turn--) {
			const thought = thoughtOf(r, api);
			const calls = Array.from({ length: r.pick([1, 1, 1, 2, 3]) }, (_, at): CallSpec => {
				const item = thought.item();
				const id = item && idStyle < 2 ? `call_${item.slice(3)}|${item}` : idOf(r, idStyle, at);
				const answered = !(options.unanswered && r.chance(0.1));
				const isError = r.chance(0.2);
				return {
					name: r.pick(tools),
					args: { path: `src/${r.int(0, 9)}.ts`, note: textOfKind(r, "prose", r.int(0, isError ? 2_000 : 60)) },
					...(id === undefined ? {} : { id }),
					result: answered ? resultOf(r) : undefined,
					isError,
					...(at === 0 ? thought.call : {}),
				};
			});
			const lead: Block[] = r.chance(0.3) ? [{ type: "text", text: "Let me look.", ...thought.text }] : [];
			const stopReason = r.chance(0.06) ? { stopReason: r.pick(["error", "aborted"]), errorMessage: "Cut off." } : {};
			const turnOptions = {
				fields: { ...options.speaker, ...stopReason },
				between: () => r.chance(0.05) && stranger(r, session, editable, 5),
			};
			editable.push(...session.toolTurn(calls, [...thought.lead, ...lead], turnOptions).results);
			stranger(r, session, editable);
		}
		// Cut off before the reply, now and then: the next prompt ends the chain.
		if (r.chance(0.1)) continue;
		const { lead, text } = thoughtOf(r, api);
		session.assistant([...lead, { type: "text", text: textOfKind(r, "prose", 120), ...text }], { ...options.speaker });
		stranger(r, session, editable);
	}
	return session;
}

/** Now and then, between turns: an entry of somebody else, an edit, a compaction. */
function stranger(r: Random, session: SessionBuilder, editable: string[], among = 15): void {
	const kind = r.int(0, among);
	if (kind === 0) session.customMessage("other-extension", "Injected note");
	else if (kind === 1) session.custom("other-extension", { n: 1 });
	else if (kind === 2) session.append("future_thing", { payload: [1, 2] });
	else if (kind === 3) session.append("label", { targetId: r.pick(editable), label: "here" });
	else if (kind === 4) session.contextEdit(r.pick(editable), "redacted by another extension");
	else if (kind === 5) session.compaction(r.pick(editable), "Older work, folded.");
	else if (kind === 6)
		session.message({
			role: "bashExecution",
			command: "ls",
			output: "a\nb",
			exitCode: 0,
			cancelled: false,
			truncated: false,
		});
}
