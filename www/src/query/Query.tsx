import { plural } from "../format.ts";
import { Images, LongText } from "../messages/WholeText.tsx";
import { nameOf, shown } from "../state/session.ts";
import { answers, ask, asked, failed } from "./ask.ts";

/** A list of thousands would be no suggestion, and slow. */
const SUGGESTED = 200;

export function Query() {
	const refs = shown.value?.view.refs ?? [];
	const got = answers.value;
	return (
		<>
			<form
				class="bar"
				onSubmit={(event) => {
					event.preventDefault();
					void ask(asked.value);
				}}
			>
				<label>
					<span>What stood here</span>
					<input
						type="text"
						list="refs"
						spellcheck={false}
						autocomplete="off"
						placeholder="t1, b1 or a call’s id"
						value={asked.value}
						onInput={(event) => {
							asked.value = event.currentTarget.value;
						}}
					/>
				</label>
				<datalist id="refs">
					{refs.slice(0, SUGGESTED).map((ref) => (
						<option key={ref} value={ref} />
					))}
				</datalist>
				<button type="submit" class="primary">
					Fetch
				</button>
				<p class="muted">
					{refs.length === 0
						? "Nothing is hidden in this request."
						: `${plural(refs.length, "name")} in this request. The agent has the same box as a tool, context_tree_query.`}
				</p>
			</form>
			<div aria-live="polite">
				{failed.value && <p class="trouble">{failed.value}</p>}
				{got?.all.map(({ id, answer }) => (
					<section key={`${id} ${got.request}`} class="answer" aria-label={`Answer for ${id}`}>
						<h2>
							{answer.found ? id : `Nothing is known as ${id}`}
							<small class="muted"> at {nameOf(got.request).toLowerCase()}</small>
						</h2>
						<LongText text={answer.text} />
						<Images images={answer.images} />
					</section>
				))}
			</div>
		</>
	);
}
