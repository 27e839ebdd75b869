import type { Picture } from "../core/protocol.ts";
import { bytes, plural } from "../format.ts";
import { busy, selectLeaf, source } from "../state/session.ts";
import { settingAt, settings, withValue } from "../state/settings.ts";
import { Timeline } from "../timeline/Timeline.tsx";
import { Basis } from "./Basis.tsx";
import { Figures } from "./Figures.tsx";
import { Views } from "./Views.tsx";

const formats: Record<string, string> = {
	"pi-v1": "pi, version 1",
	"pi-v2": "pi, version 2",
	"pi-v3": "pi, version 3",
	"claude-code": "Claude Code",
	codex: "Codex",
	opencode: "OpenCode",
	openai: "OpenAI chat rows",
};

export function Session({ picture }: { picture: Picture }) {
	const { overview, requests } = picture;
	const asRecorded = settingAt(settings.value, "replay.asRecorded") === true;
	const facts = [
		formats[overview.format] ?? overview.format,
		overview.model && (overview.provider ? `${overview.provider}/${overview.model}` : overview.model),
		bytes(overview.bytes),
		plural(overview.entries, "entry", "entries"),
		plural(overview.messages, "message"),
	];
	return (
		<div class={busy.value ? "session busy" : "session"} aria-busy={busy.value}>
			<section class="about" aria-label="The transcript">
				<h1>{overview.title || source.value?.name}</h1>
				<p class="muted facts">
					{facts.filter(Boolean).map((fact) => (
						<span key={fact}>{fact}</span>
					))}
				</p>
				{overview.leaves.length > 1 && (
					<label class="leaf">
						<span>Branch</span>
						<select value={overview.leaf} onChange={(event) => void selectLeaf(event.currentTarget.value)}>
							{overview.leaves.map(({ id, label, messages }) => (
								<option key={id} value={id}>
									{label} ({plural(messages, "message")})
								</option>
							))}
						</select>
					</label>
				)}
				{overview.hasDecisions && (
					<label class="check">
						<input
							type="checkbox"
							checked={asRecorded}
							onChange={(event) => {
								settings.value = withValue(
									settings.value,
									"replay.asRecorded",
									event.currentTarget.checked || undefined,
								);
							}}
						/>
						<span>This session was pruned when it was made: show that, instead of deciding anew</span>
					</label>
				)}
			</section>
			{requests.count === 0 ? (
				<p class="note">
					This transcript has no reply of a model, so no request was made and there is nothing to prune.
				</p>
			) : (
				<>
					<Figures picture={picture} />
					<Basis picture={picture} />
					<Timeline picture={picture} />
				</>
			)}
			<Views picture={picture} />
		</div>
	);
}
