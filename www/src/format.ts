// Figures as people read them.

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** 12,345 */
export const whole = (value: number) => grouped.format(value);

/** 950, 12.3k, 1.2M: three figures at the most. */
export function short(value: number): string {
	const size = Math.abs(value);
	if (size < 1_000) return String(Math.round(value));
	const [unit, letter] = size < 999_500 ? [1e3, "k"] : [1e6, "M"];
	const scaled = value / unit;
	return `${Math.abs(scaled) < 99.95 ? scaled.toFixed(1).replace(/\.0$/, "") : Math.round(scaled)}${letter}`;
}

/** 4.2 MB, in powers of ten, as file managers show it. */
export function bytes(value: number): string {
	if (value < 1_000) return `${value} bytes`;
	const [unit, name] = value < 1e6 ? [1e3, "kB"] : [1e6, "MB"];
	const scaled = value / unit;
	return `${scaled < 10 ? scaled.toFixed(1) : Math.round(scaled)} ${name}`;
}

/** −34 %, +1.4 %, ±0 %; of nothing, nothing. */
export function change(before: number, after: number): string {
	if (before === 0) return after === 0 ? "±0 %" : "new";
	const percent = (after / before - 1) * 100;
	const size = Math.abs(percent);
	const figure = size < 9.95 ? size.toFixed(1).replace(/\.0$/, "") : size.toFixed(0);
	return figure === "0" ? "±0 %" : `${percent < 0 ? "−" : "+"}${figure} %`;
}

/** $12.29, $0.0825: as the core writes it in its sentences. */
export const dollars = (amount: number) => `$${amount.toFixed(Math.abs(amount) >= 1 ? 2 : 4)}`;

export const share = (part: number, of: number) => (of === 0 ? "0 %" : `${Math.round((part / of) * 100)} %`);

/** Tokens of a text, as pi estimates them: a quarter of its UTF-16 units. */
export const tokensOf = (units: number) => Math.round(units / 4);

export const plural = (count: number, one: string, many = `${one}s`) => `${whole(count)} ${count === 1 ? one : many}`;

const clock = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** "" where the transcript has no time. */
export const time = (timestamp: number) => (timestamp > 0 && Number.isFinite(timestamp) ? clock.format(timestamp) : "");
