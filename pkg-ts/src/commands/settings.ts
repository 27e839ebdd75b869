import { formatValue } from "../settings/values.ts";
import { say } from "../ui/say.ts";
import { showSettings } from "../ui/settings-view.ts";
import { changeFromText } from "./change.ts";
import type { PrunerControl } from "./control.ts";
import { modelNames } from "./model.ts";
import { helpOf, valuesFrom } from "./setting.ts";
import type { Call, Subcommand } from "./subcommand.ts";

export const settings: Subcommand = {
	name: "settings",
	usage: "[key [value]]",
	summary: "show and change every setting",
	run: (call) => (call.args === "" ? all(call) : one(call)),
	complete: (control, typed) => {
		const { rows } = control.settings();
		const [, key, value] = /^(\S+)\s+(.*)$/.exec(typed) ?? [];
		const row = rows.find((each) => each.key === key);
		if (row && value !== undefined) {
			return valuesFrom(control, row, value).map((each) => ({ ...each, value: `${row.key} ${each.value}` }));
		}
		return rows
			.filter(({ key }) => key.toLowerCase().includes(typed.toLowerCase()))
			.map((each) => ({ value: `${each.key} `, description: each.help }));
	},
};

async function all({ control, ctx, host }: Call): Promise<void> {
	if (ctx.mode !== "tui") {
		say(ctx, settingsText(control));
		return;
	}
	await showSettings(
		{ ctx, host },
		{
			settings: control.settings(),
			set: (row, text) => changeFromText(control, ctx, row, text),
			models: () => modelNames(ctx.modelRegistry),
		},
	);
}

function one({ control, ctx, args }: Call): void {
	const [key = ""] = args.split(/\s/, 1);
	const value = args.slice(key.length).trim();
	const row = control.settings().row(key);
	if (!row) {
		say(ctx, `pi-decant: there is no setting "${key}".${nearTo(key, control)} /pruner settings lists them.`, "warning");
	} else if (value === "") {
		const now = formatValue(row, control.settings().value(row.key));
		say(ctx, `pi-decant: ${row.key} is ${now} (default ${formatValue(row, row.default)}). ${helpOf(row)}`);
	} else {
		const { text, level } = changeFromText(control, ctx, row, value);
		say(ctx, `pi-decant: ${text}`, level);
	}
}

/** Settings whose name ends like it, as in `chain.maxShare`, or is the same in other letters. */
function nearTo(name: string, control: PrunerControl): string {
	const last = (key: string) => key.slice(key.lastIndexOf(".") + 1).toLowerCase();
	const near = control.settings().rows.flatMap(({ key }) => (last(key) === last(name) ? [key] : []));
	return near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
}

/** All settings as a table: a line each, what differs from the default marked. */
export function settingsText(control: PrunerControl): string {
	const { rows, path } = control.settings();
	const width = Math.max(...rows.map(({ key }) => key.length));
	const lines = rows.map((row) => {
		const now = formatValue(row, control.settings().value(row.key));
		const installed = formatValue(row, row.default);
		return `  ${row.key.padEnd(width)}  ${now}${now === installed ? "" : `  (default ${installed})`}`;
	});
	return [
		`pi-decant: settings in ${path}, under contextPrune. Change one with /pruner settings key value.`,
		...lines,
	].join("\n");
}
