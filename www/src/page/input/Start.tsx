import { OpenFile } from "./OpenFile.tsx";
import { openSample, openText, openTransfer, type Sample } from "./read.ts";

const samples: Sample[] = [
	{ file: "coding.jsonl", name: "A coding session" },
	{ file: "long.jsonl", name: "A long one" },
	{ file: "branchy.jsonl", name: "One with branches" },
];

const places: { agent: string; where: string; what: string }[] = [
	{ agent: "pi", where: "~/.pi/agent/sessions/", what: "JSONL, versions 1 to 3" },
	{ agent: "Claude Code", where: "~/.claude/projects/", what: "JSONL" },
	{ agent: "Codex", where: "~/.codex/sessions/", what: "rollout JSONL" },
	{ agent: "OpenCode", where: "opencode export", what: "the JSON it prints" },
	{ agent: "Others", where: "{ role, content, tool_calls }", what: "OpenAI chat rows or an array of them" },
];

export function Start() {
	return (
		<div class="start">
			<section class="pitch">
				<h1>Where did your agent’s tokens go?</h1>
				<p>
					Give this page a session of a coding agent. It replays every request that was made, shows what the provider’s
					cache would have served, and what{" "}
					<strong>pi-decant would have hidden: old tool output, old arguments, finished tasks</strong>. Each hidden
					piece stays one query away.
				</p>
			</section>
			<section class="give" aria-label="Your transcript">
				<textarea
					aria-label="Paste a transcript"
					placeholder="Paste a transcript here, or drop its file anywhere on this page"
					rows={5}
					spellcheck={false}
					// What is pasted is read from the clipboard: megabytes in a text field would freeze the page.
					onPaste={(event) => {
						if (openTransfer(event.clipboardData)) event.preventDefault();
					}}
					onInput={(event) => {
						const field = event.currentTarget;
						if (event.inputType === "insertText" || event.inputType.startsWith("delete")) return;
						openText(field.value);
						field.value = "";
					}}
				/>
				<div class="ways">
					<OpenFile label="Choose a file" primary />
					<span class="muted">or look at one of ours:</span>
					{samples.map((sample) => (
						<button key={sample.file} type="button" class="plain" onClick={() => void openSample(sample)}>
							{sample.name}
						</button>
					))}
				</div>
			</section>
			<section class="places">
				<h2>Where transcripts are</h2>
				<table>
					<tbody>
						{places.map(({ agent, where, what }) => (
							<tr key={agent}>
								<th scope="row">{agent}</th>
								<td>
									<code>{where}</code>
								</td>
								<td class="muted">{what}</td>
							</tr>
						))}
					</tbody>
				</table>
				<p class="muted">What it is, is seen from its content. It is read here and sent nowhere.</p>
			</section>
		</div>
	);
}
