// How the demo looks in a terminal of 100 columns.

import { prices } from "../harness/sandbox.ts";
import type { ModelRequest } from "../harness/server.ts";
import { type Figures, figuresOf } from "./figures.ts";
import type { Play } from "./play.ts";

const color = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code: number, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
const bold = (text: string) => paint(1, text);
const dim = (text: string) => paint(2, text);
const green = (text: string) => paint(32, text);

const whole = (n: number) => n.toLocaleString("en-US");
const dollars = (n: number) => `$${n.toFixed(4)}`;
const rate = (n: number) => `$${n.toFixed(2)}`;
const labelWidth = 51;
const columns = [9, 9, 12, 9];

function row(label: string, cells: readonly string[], tail = ""): string {
	const fixed = label.length > labelWidth ? `${label.slice(0, labelWidth - 1)}…` : label.padEnd(labelWidth);
	return `  ${fixed}${cells.map((cell, at) => cell.padStart(columns[at] ?? 9)).join("")}${tail}`.trimEnd();
}

const saved = (before: number, after: number) => `${Math.round((after / before - 1) * 100)} %`;

export interface Recovery {
	ref: string;
	/** UTF-16 units that came back. */
	units: number;
	firstLine: string;
	/** How many outputs they are of: a block brings the heads of all it stands for. */
	outputs: number;
	/** Request of the main loop whose body holds it. */
	at: number;
}

/** The whole table, for a terminal of 100 columns. */
export function report(plain: Play, pruned: Play, recoveries: readonly Recovery[], checked: number): string {
	const agentOf = (play: Play) => play.requests.filter((request) => request.kind === "agent");
	const [before, after] = [agentOf(plain), agentOf(pruned)];
	const summarizer = pruned.requests.filter((request) => request.kind === "summarizer");
	const lines = [
		bold(`  ${" ".repeat(labelWidth)}${"without".padStart(18)}${"with pi-decant".padStart(21)}`),
		dim(row("request to the model, after", ["tokens", "cached", "tokens", "cached"])),
		dim(`  ${"─".repeat(labelWidth + columns.reduce((a, b) => a + b))}`),
	];
	let other = 0;
	for (const [at, beat] of pruned.beats.entries()) {
		for (const flush of pruned.flushes) if (flush.before === at) lines.push(...flushed(flush).map(green));
		const own = after[at] as ModelRequest;
		// The request that follows a recovery has no counterpart: without pi-decant nothing had to be asked for.
		const left = pruned.beats[at - 1]?.recovery ? undefined : before[other++];
		lines.push(
			row(`${String(at + 1).padStart(2)}  ${beat.after}`, [
				left ? whole(left.tokens) : "·",
				left ? whole(left.cached) : "·",
				whole(own.tokens),
				whole(own.cached),
			]),
		);
		for (const recovery of recoveries) if (at === recovery.at) lines.push(...recovered(recovery).map(green));
	}
	return [
		...lines,
		"",
		...totals(figuresOf(before), figuresOf(after), figuresOf(summarizer)),
		"",
		closing(checked),
	].join("\n");
}

function flushed({ results, batches, blocks }: Play["flushes"][number]): string[] {
	return [
		...(results > 0
			? [`  ▸ flush: ${results} results in ${batches} batches became stubs with summaries beside them`]
			: []),
		...blocks.map((id) => `  ▸ flush: the oldest task left as block ${id}: its prompt, one text, its reply`),
	];
}

function recovered({ ref, outputs, units, firstLine }: Recovery): string[] {
	const what = outputs > 1 ? `the heads of all ${outputs} outputs, ` : "";
	return [
		`  ▸ recovered ${ref}: ${what}${whole(units)} characters, byte for byte as they were:`,
		`    ${firstLine.trim().slice(0, 84)}…`,
	];
}

function totals(before: Figures, after: Figures, summarizer: Figures): string[] {
	const pair = (label: string, a: string, b: string, change = "") => row(label, ["", a, "", b], change.padStart(8));
	const sum = after.money + summarizer.money;
	return [
		pair("input tokens in all", whole(before.input), whole(after.input), saved(before.input, after.input)),
		pair("  of them cached", whole(before.cached), whole(after.cached)),
		pair(
			`money, the model (${before.requests} and ${after.requests} requests)`,
			dollars(before.money),
			dollars(after.money),
		),
		pair(
			`money, the summarizer (${summarizer.requests} requests, ${whole(summarizer.input)} tokens)`,
			"",
			dollars(summarizer.money),
		),
		bold(pair("money in all", dollars(before.money), dollars(sum), saved(before.money, sum))),
		dim(
			`  at ${rate(prices.input)} input, ${rate(prices.cacheRead)} cached, ${rate(prices.output)} output per million tokens; a token is 4 characters`,
		),
	];
}

function closing(checked: number): string {
	return dim(
		`  Checked: all ${checked} requests, counted twice from the raw bodies and against what pi booked itself.`,
	);
}
