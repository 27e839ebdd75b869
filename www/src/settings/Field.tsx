import type { SettingRow } from "../core/types.ts";

interface Props {
	row: SettingRow;
	/** undefined where the default counts. */
	value: unknown;
	problem: string | undefined;
	onChange(value: unknown): void;
}

/** One setting. It decides nothing: what does not look like a value goes to the core as it is, which says what it wants. */
export function Field({ row, value, problem, onChange }: Props) {
	const id = `set-${row.key.replaceAll(".", "-")}`;
	const described = problem ? `${id}-help ${id}-problem` : `${id}-help`;
	const name = row.key.split(".").at(-1);
	const control = { id, "aria-describedby": described, "aria-invalid": problem !== undefined };
	return (
		<div class={value === undefined ? "field" : "field set"}>
			<label for={id}>
				<code>{name}</code>
			</label>
			<Control row={row} value={value === undefined ? row.default : value} onChange={onChange} control={control} />
			<p id={`${id}-help`} class="muted">
				{row.help}
			</p>
			{problem && (
				<p id={`${id}-problem`} class="trouble" role="alert">
					{problem}
				</p>
			)}
		</div>
	);
}

interface ControlProps {
	row: SettingRow;
	value: unknown;
	control: { id: string; "aria-describedby": string; "aria-invalid": boolean };
	onChange(value: unknown): void;
}

function Control({ row, value, control, onChange }: ControlProps) {
	switch (row.kind) {
		case "boolean":
			return (
				<input
					{...control}
					type="checkbox"
					checked={value === true}
					onChange={(event) => onChange(event.currentTarget.checked)}
				/>
			);
		case "choice":
			return (
				<select {...control} value={String(value)} onChange={(event) => onChange(event.currentTarget.value)}>
					{row.choices?.map((choice) => (
						<option key={choice} value={choice}>
							{choice}
						</option>
					))}
				</select>
			);
		case "list":
			return (
				<textarea
					{...control}
					rows={2}
					spellcheck={false}
					placeholder="one a line"
					value={Array.isArray(value) ? value.join("\n") : ""}
					onChange={(event) => onChange(linesOf(event.currentTarget.value))}
				/>
			);
		case "model":
			return (
				<input
					{...control}
					type="text"
					spellcheck={false}
					value={String(value)}
					onChange={(event) => onChange(event.currentTarget.value.trim() || row.default)}
				/>
			);
		default:
			return (
				<>
					<input
						{...control}
						type="text"
						inputMode="decimal"
						list={`${control.id}-presets`}
						placeholder={row.nullable ? (row.key.startsWith("replay.") ? "its own" : "off") : ""}
						value={value === null ? "" : String(value)}
						onChange={(event) => onChange(numberOf(event.currentTarget.value, row))}
					/>
					<datalist id={`${control.id}-presets`}>
						{row.presets?.map((preset) => (
							<option key={preset} value={preset} />
						))}
					</datalist>
				</>
			);
	}
}

const linesOf = (text: string) =>
	text
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "");

function numberOf(text: string, { nullable, default: standard }: SettingRow): unknown {
	const plain = text.trim().replaceAll(/[ ,_](?=\d{3})/g, "");
	if (plain === "" || plain === "off") return nullable ? null : standard;
	return Number.isNaN(Number(plain)) ? text : Number(plain);
}
