// What survives a reload, only if the user asks: the transcript, branch, request, settings and theme, in this browser's
// own database. Unchecking deletes it.

import { effect, signal } from "@preact/signals";
import { open, picture, type Source, selected, source } from "./session.ts";
import { type Settings, settings } from "./settings.ts";
import { type Theme, theme } from "./theme.ts";

interface Kept {
	source: Source | undefined;
	leaf: string | undefined;
	request: number;
	settings: Settings;
	theme: Theme;
}

const DATABASE = "pi-decant-playground";
const STORE = "kept";
const KEY = "page";

export const remembering = signal(false);
/** Why it could not be kept, in a sentence. */
export const remembered = signal<string | undefined>(undefined);

function request<T>(asked: IDBRequest<T>): Promise<T> {
	return new Promise((resolve, reject) => {
		asked.onsuccess = () => resolve(asked.result);
		asked.onerror = () => reject(asked.error ?? new Error("the browser's database failed"));
	});
}

async function store<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
	const opening = indexedDB.open(DATABASE, 1);
	opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
	const database = await request(opening);
	try {
		return await request(work(database.transaction(STORE, mode).objectStore(STORE)));
	} finally {
		database.close();
	}
}

async function keep(kept: Kept): Promise<void> {
	try {
		await store("readwrite", (to) => to.put(kept, KEY));
		remembered.value = undefined;
	} catch (error) {
		remembered.value = `This browser does not keep it: ${error instanceof Error ? error.message : String(error)}`;
	}
}

/** Brings back what was kept, if anything was. Without permission for a database there is nothing, which is no fault. */
export async function restore(): Promise<void> {
	let kept: Kept | undefined;
	try {
		// Opening a database makes it: without one there is nothing to look for, and nothing is to be made.
		const known = await indexedDB.databases();
		if (!known.some((one) => one.name === DATABASE)) return;
		kept = (await store("readonly", (from) => from.get(KEY))) as Kept | undefined;
	} catch {
		return;
	}
	if (!kept) return;
	theme.value = kept.theme;
	settings.value = kept.settings;
	remembering.value = true;
	const at = { request: kept.request, ...(kept.leaf ? { leaf: kept.leaf } : {}) };
	if (kept.source) await open(kept.source, at);
}

export function setRemembering(on: boolean): void {
	remembering.value = on;
	remembered.value = undefined;
	if (!on) indexedDB.deleteDatabase(DATABASE);
}

let timer: ReturnType<typeof setTimeout> | undefined;

effect(() => {
	const kept: Kept = {
		source: source.value,
		leaf: picture.value?.overview.leaf,
		request: selected.value,
		settings: settings.value,
		theme: theme.value,
	};
	clearTimeout(timer);
	// The slider moves faster than a database should be written.
	if (remembering.value) timer = setTimeout(() => void keep(kept), 300);
});
