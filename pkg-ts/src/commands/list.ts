import type { SettingRow } from "../settings/schema.ts";
import { quoteWord, splitWords } from "../settings/words.ts";
import { say } from "../ui/say.ts";
import { type Changed, change } from "./change.ts";
import type { PrunerControl } from "./control.ts";
import { wordsFrom } from "./setting.ts";
import type { Call, Completion, Subcommand } from "./subcommand.ts";

const LIST = { value: "list", description: "show them, one a line" };

const ACTIONS: readonly Completion[] = [
	LIST,
	{ value: "add ", description: "add to them" },
	{ value: "remove ", description: "take out of them" },
	{ value: "none", description: "empty the list" },
	{ value: "default", description: "back to what is installed" },
];

/** A list of names or patterns, and the words to speak of it in. */
export interface ListWords {
	name: string;
	summary: string;
	/** One of them, as in "tool". */
	noun: string;
	/** What being on the list means. */
	effect: string;
}

/**
 * The subcommand that shows and edits a list: `list`, `none`, `default`, `add x`, `remove x`. Anything else is refused: a
 * mistyped verb must not become the list. The whole list at once is for `/pruner settings`.
 *
 * Words are split at spaces; what contains some is quoted. A comma is part of a word (globs have them).
 */
export function listCommand(row: SettingRow, words: ListWords, offers: () => string[]): Subcommand {
	return {
		name: words.name,
		usage: "[add|remove x]",
		summary: words.summary,
		run: (call) => edit(call, row, words),
		complete: (control, typed) => {
			const [, action, word] = /^(add|remove)\s+(.*)$/.exec(typed) ?? [];
			if (action === undefined || word === undefined) return wordsFrom(ACTIONS, typed);
			const listed = listOf(control, row);
			const found = action === "remove" ? listed : offers().filter((name) => !listed.includes(name));
			return found
				.map(quoteWord)
				.filter((name) => name.startsWith(word))
				.map((name) => ({ value: `${action} ${name}` }));
		},
	};
}

function edit(call: Call, row: SettingRow, words: ListWords): void {
	const { args, control, ctx } = call;
	if (args === "" || args === LIST.value) {
		say(ctx, shown(listOf(control, row), words, control.report(ctx)?.protectedUnmatched ?? []));
		return;
	}
	const { text, level } = editList(call, row, words);
	say(ctx, `pi-decant: ${text}`, level);
}

function editList({ args, control, ctx }: Call, row: SettingRow, { noun, name }: ListWords): Changed {
	const split = splitWords(args);
	if (!split.ok) return wrong(`nothing was changed: ${split.problem}.`);
	const [action = "", ...given] = split.words;
	const verbs = ACTIONS.map(({ value }) => value.trim());
	if (!verbs.includes(action)) {
		return wrong(
			`nothing was changed: "${action}" is none of ${verbs.join(", ")}. The whole list at once: /pruner settings ${row.key} ${quoteWord(action)} ...`,
		);
	}
	const listed = listOf(control, row);
	if (action !== "add" && action !== "remove") {
		if (given.length > 0) return wrong(`nothing was changed: ${action} takes nothing behind it.`);
		return change(control, ctx, row, action === "none" ? [] : row.default);
	}
	if (given.length === 0) return wrong(`which ${noun}? Say /pruner ${name} ${action} and its name.`);
	if (action === "add") return change(control, ctx, row, [...new Set([...listed, ...given])], args);
	const missing = given.filter((word) => !listed.includes(word));
	if (missing.length > 0) return wrong(`nothing was changed: ${missing.map(quoteWord).join(" ")} is not on the list.`);
	return change(
		control,
		ctx,
		row,
		listed.filter((word) => !given.includes(word)),
		args,
	);
}

function wrong(text: string): Changed {
	return { ok: false, text, level: "warning" };
}

function listOf(control: PrunerControl, row: SettingRow): string[] {
	const value = control.settings().value(row.key);
	return Array.isArray(value) ? value.map(String) : [];
}

function shown(listed: readonly string[], { noun, effect, name }: ListWords, unmatched: readonly string[]): string {
	if (listed.length === 0) return `pi-decant: no ${noun} is protected. /pruner ${name} add x: ${effect}.`;
	const lines = listed.map(
		(word) => `  ${quoteWord(word)}${unmatched.includes(word) ? "  (matched nothing so far)" : ""}`,
	);
	return [`pi-decant: ${listed.length} protected; ${effect}.`, ...lines].join("\n");
}
