// Pseudo-random numbers and text from a seed: the same seed, the same session, on every machine.

export interface Random {
	/** In [0, 1). */
	next(): number;
	/** Whole, from `low` to `high`, both included. */
	int(low: number, high: number): number;
	pick<T>(items: readonly T[]): T;
	chance(probability: number): boolean;
}

/** mulberry32: 32 bits of state, good enough to vary sessions. */
export function random(seed: number): Random {
	let state = seed >>> 0;
	const next = () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = state;
		t = Math.imul(t ^ (t >>> 15), t | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
	};
	return {
		next,
		int: (low, high) => low + Math.floor(next() * (high - low + 1)),
		pick: (items) => items[Math.floor(next() * items.length)] as never,
		chance: (probability) => next() < probability,
	};
}

const words =
	"request session entry branch result value error parse index token cache render turn batch user model path line stream buffer handler config".split(
		" ",
	);

export type TextKind = "code" | "log" | "json" | "prose" | "listing" | "unicode";
export const textKinds: readonly TextKind[] = ["code", "log", "json", "prose", "listing", "unicode"];

const lineOf: Record<TextKind, (r: Random, n: number) => string> = {
	code: (r, n) =>
		`\t${r.pick(["const", "let", "return", "if", "await"])} ${r.pick(words)}_${n} = ${r.pick(words)}(${r.int(0, 9999)}); // ${r.pick(words)}`,
	log: (r, n) =>
		`2026-01-05T09:${String(n % 60).padStart(2, "0")}:00.${r.int(100, 999)}Z ${r.pick(["INFO", "WARN", "ERROR"])} ${r.pick(words)} took ${r.int(1, 900)}ms id=${r.int(1e6, 9e6)}`,
	json: (r, n) =>
		`  {"${r.pick(words)}": ${r.int(0, 1e6)}, "path": "src/${r.pick(words)}/${n}.ts", "ok": ${r.chance(0.5)}},`,
	prose: (r) => `${Array.from({ length: r.int(6, 14) }, () => r.pick(words)).join(" ")}.`,
	listing: (r, n) =>
		`-rw-r--r-- 1 dev dev ${String(r.int(10, 99_999)).padStart(6)} Jan  5 09:00 ${r.pick(words)}-${n}.${r.pick(["ts", "rs", "md"])}`,
	unicode: (r) =>
		`${r.pick(["größe", "naïve", "日本語", "🙂🙃", "𠮷野家", "─┼─", "Ω≈ç"])} ${r.pick(words)} ${r.pick(words)}`,
};

/** Text of about `units` UTF-16 units, of one kind, in lines. */
export function textOfKind(r: Random, kind: TextKind, units: number): string {
	const lines: string[] = [];
	let length = 0;
	for (let n = 0; length < units; n++) {
		const line = lineOf[kind](r, n);
		lines.push(line);
		length += line.length + 1;
	}
	return lines.join("\n");
}
