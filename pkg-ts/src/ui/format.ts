/** Tokens of a text by pi's own estimate: 4 UTF-16 units each. */
export function tokensOf(units: number): number {
	return Math.round(units / 4);
}

/** `950`, `9.2k`, `92k`, `1.3M`. */
export function short(count: number): string {
	if (count < 1000) return String(Math.round(count));
	const [value, unit] = count < 999_500 ? [count / 1000, "k"] : [count / 1_000_000, "M"];
	const digits = value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(0);
	return `${digits}${unit}`;
}

/** `1 tool result`, `3 tool results`. */
export function count(n: number, noun: string): string {
	return `${n.toLocaleString("en-US")} ${noun}${n === 1 ? "" : plural(noun)}`;
}

function plural(noun: string): string {
	return /(s|x|ch)$/.test(noun) ? "es" : "s";
}

/** `92k->14k (-85%)`, in tokens, from sizes in UTF-16 units; nothing where nothing was saved. */
export function reclaim(sizes: { before: number; after: number }): string | undefined {
	if (sizes.after >= sizes.before) return undefined;
	const saved = Math.round((1 - sizes.after / sizes.before) * 100);
	return `${short(tokensOf(sizes.before))}->${short(tokensOf(sizes.after))} (-${saved}%)`;
}
