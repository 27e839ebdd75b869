// What is open, what is being read, which request is looked at. A transcript that cannot be read leaves all of it alone.

import { computed, effect, signal } from "@preact/signals";
import { Core, CoreError } from "../core/client.ts";
import type { Picture } from "../core/protocol.ts";
import type { Outline } from "../core/types.ts";
import { bytes, whole } from "../format.ts";
import { latestOnly } from "./latest.ts";
import { problems, schema, settings } from "./settings.ts";

/** Bytes. The core holds a transcript several times over while reading; beyond this a browser tab may not bear it. */
export const largest = 150_000_000;

export interface Source {
	name: string;
	file: Blob;
}

export const source = signal<Source | undefined>(undefined);
export const picture = signal<Picture | undefined>(undefined);
/** What is being read: its bytes, and how much of the work is done, 0 to 1. */
export const reading = signal<{ name: string; size: number; done: number } | undefined>(undefined);
/** Why the last thing asked for did not happen, in a sentence. */
export const trouble = signal<string | undefined>(undefined);
const redraws = signal(0);
/** Whether new settings or another branch are being worked out. */
export const busy = computed(() => redraws.value > 0);
/** The request that was asked for; `shown` follows it. */
export const selected = signal(0);
export const shown = signal<{ index: number; view: Outline } | undefined>(undefined);

/** Places of the slider: the requests, and behind them the one that would come next. */
export const places = computed(() => {
	const count = picture.value?.requests.count ?? 0;
	return count === 0 ? 0 : count + 1;
});

/** A place of the slider in words. */
export const nameOf = (place: number) =>
	place === picture.value?.requests.count ? "The next request" : `Request ${whole(place + 1)}`;

effect(() => {
	document.title = source.value ? `${source.value.name} · pi-decant playground` : "pi-decant playground";
});

/** Told apart so that an answer of an earlier picture is never taken for one of the present. */
let generation = 0;
const current = signal<Core | undefined>(undefined);
/** Whether something that was asked of the open transcript has not been answered. */
export const waiting = computed(() => (current.value?.outstanding.value ?? 0) > 0);
/** Started ahead: its wasm is compiled by the time something is opened. */
let spare: Core | undefined = new Core();
let opening: Core | undefined;

const take = () => {
	const core = spare ?? new Core();
	spare = undefined;
	return core;
};

/** The open transcript's worker. */
export function core(): Core {
	const open = current.peek();
	if (!open) throw new CoreError("closed", "No transcript is open.");
	return open;
}

/** Reads a transcript and shows it; what was open stays until then. */
export async function open(from: Source, at?: { leaf?: string; request?: number }): Promise<void> {
	cancel();
	trouble.value = undefined;
	if (from.file.size > largest) {
		trouble.value = `${from.name} has ${bytes(from.file.size)}; this page reads transcripts up to ${bytes(largest)}.`;
		return;
	}
	if (from.file.size === 0) {
		trouble.value = `${from.name} is empty. A transcript has one JSON object a line, or is one JSON document.`;
		return;
	}
	const mine = take();
	opening = mine;
	reading.value = { name: from.name, size: from.file.size, done: 0 };
	mine.onProgress = (done, total) => {
		// The core counts reading and replaying; neither of its figures is the size of the file.
		if (opening === mine) reading.value = { name: from.name, size: from.file.size, done: done / total };
	};
	try {
		const opened = await mine.call("open", from.file, settings.value);
		let seen = opened.picture;
		if (at?.leaf && at.leaf !== seen.overview.leaf && seen.overview.leaves.some((leaf) => leaf.id === at.leaf))
			seen = await mine.call("selectLeaf", at.leaf);
		if (opening !== mine) return;
		current.peek()?.close();
		current.value = mine;
		source.value = from;
		schema.value = opened.schema;
		problems.value = opened.problems;
		present(seen, at?.request ?? telling(seen));
	} catch (error) {
		if (opening !== mine) return;
		mine.close();
		trouble.value = said(error, from.name);
	} finally {
		if (opening === mine) {
			opening = undefined;
			reading.value = undefined;
		}
		spare ??= new Core();
	}
}

export function cancel(): void {
	const stopped = opening;
	opening = undefined;
	reading.value = undefined;
	stopped?.close();
}

/** Back to the start page. */
export function close(): void {
	cancel();
	generation++;
	current.peek()?.close();
	current.value = undefined;
	picture.value = undefined;
	shown.value = undefined;
	source.value = undefined;
	trouble.value = undefined;
}

export async function selectLeaf(id: string): Promise<void> {
	await redraw(async (from) => {
		const seen = await from.call("selectLeaf", id);
		return () => present(seen, telling(seen));
	});
}

const applySettings = latestOnly(async () => {
	await redraw(async (from) => {
		const answer = await from.call("setSettings", settings.peek());
		return () => {
			problems.value = answer.problems;
			if (answer.picture) present(answer.picture, selected.peek());
		};
	});
});

settings.subscribe(() => {
	if (current.peek()) applySettings();
});

async function redraw(work: (from: Core) => Promise<() => void>): Promise<void> {
	const from = core();
	redraws.value++;
	try {
		const done = await work(from);
		if (from === current.peek()) done();
	} catch (error) {
		if (from === current.peek()) trouble.value = said(error);
	} finally {
		redraws.value--;
	}
}

/** The request to begin with: the last one; the next one where only that shows anything hidden. */
function telling({ requests, overview }: Picture): number {
	const last = requests.count - 1;
	const hides = (requests.columns.sentOn?.[last] ?? 0) < (requests.columns.sentOff?.[last] ?? 0);
	return !hides && overview.nextOn < overview.nextOff ? requests.count : last;
}

function present(seen: Picture, request: number): void {
	generation++;
	picture.value = seen;
	select(request);
}

/** Shows a request. While one is being worked out only the newest of those asked for meanwhile is. */
export function select(request: number): void {
	selected.value = Math.max(0, Math.min(places.value - 1, request));
	fetchShown();
}

const fetchShown = latestOnly(async () => {
	const [index, from, born] = [selected.peek(), current.peek(), generation];
	if (!from || places.peek() === 0) {
		shown.value = undefined;
		return;
	}
	try {
		const view = await from.call("request", index);
		if (born === generation) shown.value = { index, view };
	} catch (error) {
		if (born === generation) trouble.value = said(error);
	}
});

function said(error: unknown, name?: string): string {
	const message = error instanceof Error ? error.message : String(error);
	return name ? `${name}: ${message}` : message;
}
