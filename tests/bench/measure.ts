// Medians and the table they go into. Nothing here asserts: a shared machine's clock proves nothing.

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1
		? (sorted[middle] as number)
		: ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Milliseconds of one call, and what it gave. */
export function timed<T>(work: () => T): { ms: number; value: T } {
	const started = performance.now();
	const value = work();
	return { ms: performance.now() - started, value };
}

/** Collects garbage where node was started with `--expose-gc`, so that one measurement does not pay for another. */
export function settle(): void {
	(globalThis as { gc?: () => void }).gc?.();
}

export interface Row {
	what: string;
	/** The yardstick of the same run, and the thing itself, in the unit of the section. */
	reference: string;
	own: string;
	/** What the budget speaks of; undefined where there is none. */
	figure: number;
	budget?: number;
	unit: string;
}

export function print(title: string, heads: readonly [string, string], rows: readonly Row[]): void {
	const show = (figure: number, unit: string) => `${figure < 10 ? figure.toFixed(2) : figure.toFixed(1)} ${unit}`;
	console.log(`\n  ${title}`);
	console.log(
		`  ${"".padEnd(44)}${heads[0].padStart(12)}${heads[1].padStart(12)}${"".padStart(12)}${"budget".padStart(12)}`,
	);
	for (const { what, reference, own, figure, budget, unit } of rows) {
		const limit = budget === undefined ? "" : show(budget, unit);
		const over = budget !== undefined && figure > budget ? "  over" : "";
		console.log(
			`  ${what.padEnd(44)}${reference.padStart(12)}${own.padStart(12)}${show(figure, unit).padStart(12)}${limit.padStart(12)}${over}`,
		);
	}
}

export const ms = (value: number) => (value < 1 ? `${(value * 1_000).toFixed(0)} µs` : `${value.toFixed(2)} ms`);
