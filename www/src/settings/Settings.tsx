import { busy } from "../state/session.ts";
import { change, problems, schema, settingAt, settings } from "../state/settings.ts";
import { Field } from "./Field.tsx";
import { groupsOf, replayGroup } from "./groups.ts";

/** Every key of the core's schema. What is typed goes to the core at once; it judges, and the page is drawn anew. */
export function Settings() {
	const all = [...schema.value, ...replayGroup.rows];
	const changed = all.filter(({ key }) => settingAt(settings.value, key) !== undefined).length;
	const problemOf = (key: string) => problems.value.find((problem) => problem.key === key)?.message;
	const others = problems.value.filter(({ key }) => !all.some((row) => row.key === key));
	return (
		<form class="settings" onSubmit={(event) => event.preventDefault()}>
			<div class="bar">
				<p class="muted" role="status">
					{busy.value
						? "Replaying with these settings …"
						: changed === 0
							? "All as pi-decant comes. What you change is replayed at once."
							: `${changed} changed; the figures above are with ${changed === 1 ? "it" : "them"}.`}
				</p>
				<button
					type="button"
					class="plain"
					disabled={changed === 0}
					onClick={() => {
						settings.value = {};
					}}
				>
					Reset all
				</button>
			</div>
			{others.map(({ key, message }) => (
				<p key={key} class="trouble">
					{message}
				</p>
			))}
			<div class="groups">
				{[...groupsOf(schema.value), replayGroup].map(({ name, rows: grouped }) => (
					<fieldset key={name}>
						<legend>{name}</legend>
						{grouped.map((row) => (
							<Field
								key={row.key}
								row={row}
								value={settingAt(settings.value, row.key)}
								problem={problemOf(row.key)}
								onChange={(value) => change(row, value)}
							/>
						))}
					</fieldset>
				))}
			</div>
		</form>
	);
}
