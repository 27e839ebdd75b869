/** The words of a line, or why it has none. */
export type Words = { ok: true; words: string[] } | { ok: false; problem: string };

/**
 * Splits a line at white space. Single or double quotes keep spaces inside a word, as in a shell; a backslash is an
 * ordinary character, since Windows paths are full of them, and so is a comma, which globs contain.
 */
export function splitWords(line: string): Words {
	const words: string[] = [];
	const rest = line.replace(/(?:[^\s"']|"[^"]*"|'[^']*')+/g, (word) => {
		words.push(word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
		return "";
	});
	const quote = /["']/.exec(rest)?.[0];
	return quote ? { ok: false, problem: `a ${quote} is not closed` } : { ok: true, words };
}

/** A word as `splitWords` reads it back. */
export function quoteWord(word: string): string {
	if (word !== "" && !/[\s"']/.test(word)) return word;
	if (!word.includes('"')) return `"${word}"`;
	if (!word.includes("'")) return `'${word}'`;
	return word
		.split(/(")/)
		.map((part) => (part === '"' ? `'"'` : part === "" ? "" : `"${part}"`))
		.join("");
}
