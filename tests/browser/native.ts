// What the core's native build says of a transcript: the page has to show the same.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { repositoryRoot } from "../harness/paths.ts";
import { scratch } from "../harness/scratch.ts";
import { type Opened, Playground } from "./page.ts";

export interface Sums {
	sent: number;
	cached: number;
	fresh: number;
	cost: number;
	largest: number;
	rewrites: number;
	summaries: { cost: number };
}

export interface Share {
	kind: string;
	label: string;
	tokens: number;
}

export interface Request {
	/** sentOff, cachedOff, freshOff, sentOn, cachedOn, freshOn, costOff, costOn, output; null for the one that would come next. */
	sides: number[] | null;
	outline: { saved: number; map: Share[]; mapBefore: Share[] };
}

export interface Native {
	off: Sums;
	on: Sums;
	overview: {
		unseen: number;
		billed: { requests: number; sent: number };
		prices: string[];
		nextOff: number;
		nextOn: number;
	};
	/** The one that would come next is the last. */
	requests: Request[];
}

const example = ["--quiet", "--release", "--package", "decant", "--example", "replay"];

/**
 * For a group of tests: the page, the native build beside it, and these transcripts in files that go when the group is
 * done.
 */
export function besideNative(made: Record<string, string>): { paths: string[]; open(): Promise<Opened> } {
	let playground: Playground;
	const folder = scratch("decant-native-");
	before(async () => {
		compile();
		playground = await Playground.start();
	}, compiling);
	after(async () => {
		await playground.stop();
		folder.remove();
	});
	const paths = Object.entries(made).map(([name, text]) => {
		const path = join(folder.path, name);
		writeFileSync(path, text);
		return path;
	});
	return { paths, open: () => playground.open() };
}

/** Compiled once, before the clock of a test runs. */
function compile(): void {
	execFileSync("cargo", ["build", ...example], { cwd: repositoryRoot, stdio: "inherit" });
}

/** ms that compiling may take. */
const compiling = { timeout: 900_000 };

export function native(path: string, settings = "{}"): Native {
	const printed = execFileSync("cargo", ["run", ...example, "--", path, settings, "--requests"], {
		cwd: repositoryRoot,
		encoding: "utf8",
		stdio: ["ignore", "pipe", "ignore"],
		maxBuffer: 1e9,
	});
	const [totals = "", ...rows] = printed.trim().split("\n");
	return {
		...(JSON.parse(totals) as Omit<Native, "requests">),
		requests: rows.map((row) => JSON.parse(row) as Request),
	};
}

/** As the page writes tokens, and back. */
export const whole = (figure: number) => new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 }).format(figure);
export const rounded = (figure: number) => Number(whole(figure).replaceAll(",", ""));
export const figureIn = (text: string | null | undefined) => Number((text ?? "").replace(/[^\d]/g, ""));

/** As the page writes money. */
export const dollars = (amount: number) => `$${amount.toFixed(amount >= 1 ? 2 : 4)}`;

/** A dozen requests of a session and the one that would come next; places counted from 0. */
export function some(count: number): number[] {
	const step = Math.max(1, Math.ceil(count / 12));
	const places = Array.from({ length: Math.ceil(count / step) }, (_, nth) => nth * step);
	return [...new Set([...places, count - 1, count])];
}
