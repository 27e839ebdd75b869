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
	return `${n.toLocaleString("en-US")} ${n === 1 ? noun : plural(noun)}`;
}

function plural(noun: string): string {
	if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
	return `${noun}${/(s|x|sh|tch)$/.test(noun) ? "es" : "s"}`;
}

/** Tokens before and after, and the share that was saved, from sizes in UTF-16 units; nothing where nothing was saved. */
function reclaimed(sizes: { before: number; after: number }): [string, string, string] | undefined {
	if (sizes.after >= sizes.before) return undefined;
	const saved = Math.round((1 - sizes.after / sizes.before) * 100);
	return [short(tokensOf(sizes.before)), short(tokensOf(sizes.after)), `(-${saved}%)`];
}

/** `92k->14k (-85%)`, where there is little room. */
export function reclaim(sizes: { before: number; after: number }): string | undefined {
	const parts = reclaimed(sizes);
	return parts && `${parts[0]}->${parts[1]} ${parts[2]}`;
}

/** `92k -> 14k tokens (-85%)`, in a sentence. */
export function reclaimWords(sizes: { before: number; after: number }): string | undefined {
	const parts = reclaimed(sizes);
	return parts && `${parts[0]} -> ${parts[1]} tokens ${parts[2]}`;
}

/** `$12.30`, `$0.42`, `$0.0034`, `less than $0.0001`. */
export function dollars(amount: number): string {
	if (amount > 0 && amount < 0.0001) return "less than $0.0001";
	return `$${amount.toFixed(amount >= 0.1 || amount === 0 ? 2 : 4)}`;
}

/** Refs as they are given; one with more digits than a number holds stands as it is. */
const NUMBERED = /^t\d{1,15}$/;

/** `t1..t7`, `t1, t3, t8..t10`: refs in the order of their numbers, runs of three and more joined. */
export function refList(refs: readonly string[]): string {
	const numbers = refs.flatMap((ref) => (NUMBERED.test(ref) ? [Number(ref.slice(1))] : [])).sort((a, b) => a - b);
	const runs: [number, number][] = [];
	for (const number of numbers) {
		const run = runs.at(-1);
		if (run && number <= run[1] + 1) run[1] = number;
		else runs.push([number, number]);
	}
	const named = runs.flatMap(([from, to]) => {
		if (to - from > 1) return [`t${from}..t${to}`];
		return from === to ? [`t${from}`] : [`t${from}`, `t${to}`];
	});
	return [...named, ...refs.filter((ref) => !NUMBERED.test(ref))].join(", ");
}

/** `14:32` for a moment of today, `Mar 3 14:32` for an earlier one, in the user's time zone. */
export function clock(timestamp: number, now: number): string {
	const at = new Date(timestamp);
	const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
	if (at.toDateString() === new Date(now).toDateString()) return time;
	return `${at.toLocaleString("en-US", { month: "short", day: "numeric" })} ${time}`;
}

function two(n: number): string {
	return String(n).padStart(2, "0");
}
