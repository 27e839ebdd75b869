// What people type into the query box, as the core knows it.

/** The names in a text, as asked for together: several with commas or spaces between them, refs in either case. */
export function namesIn(text: string): string[] {
	const names = text.split(/[\s,;]+/).filter((name) => name !== "");
	return [...new Set(names.map((name) => (/^[TB]\d+$/.test(name) ? name.toLowerCase() : name)))];
}
