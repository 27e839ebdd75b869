import {
	chmodSync,
	mkdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmdirSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

/** pi's `settings.json` as text and as what it says; `problem` where it cannot be read. */
export type SettingsFile =
	| { ok: true; text: string | undefined; settings: Record<string, unknown> }
	| { ok: false; problem: string };

/** Reads the file. A missing or empty one has no settings; a broken one is a problem and must not be written to. */
export function readSettingsFile(path: string): SettingsFile {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		if (codeOf(error) === "ENOENT") return { ok: true, text: undefined, settings: {} };
		return { ok: false, problem: `${path} cannot be read (${codeOf(error) ?? String(error)})` };
	}
	const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
	if (body.trim() === "") return { ok: true, text, settings: {} };
	try {
		const settings: unknown = JSON.parse(body);
		if (isRecord(settings)) return { ok: true, text, settings };
		return { ok: false, problem: `${path} holds no JSON object` };
	} catch (error) {
		return { ok: false, problem: `${path}${placeOf(error, body)} is not valid JSON` };
	}
}

/**
 * Changes keys under one top-level key, leaving all others as they are in the file at this moment.
 *
 * Written to a temporary file that is renamed over the old one (the target of a symbolic link, so that a dotfiles link
 * stays one), under the lock pi takes for its own writes. Returns what went wrong, for the user.
 */
export function updateSettingsFile(path: string, key: string, changes: Record<string, unknown>): string | undefined {
	try {
		mkdirSync(dirname(path), { recursive: true });
		return withPiLock(path, () => {
			const file = readSettingsFile(path);
			if (!file.ok) return `${file.problem}; it was left as it is`;
			const section = file.settings[key];
			const merged = deepMerge(isRecord(section) ? section : {}, changes);
			const indent = indentOf(file.text);
			replaceFile(path, `${JSON.stringify({ ...file.settings, [key]: merged }, null, indent)}\n`);
			return undefined;
		});
	} catch (error) {
		return `${path} cannot be written (${codeOf(error) ?? (error instanceof Error ? error.message : String(error))})`;
	}
}

function replaceFile(path: string, text: string): void {
	const target = realPath(path);
	const temporary = `${target}.${process.pid}.${Math.random().toString(36).slice(2, 10)}.tmp`;
	const mode = modeOf(target);
	writeFileSync(temporary, text, { encoding: "utf8", mode: mode ?? 0o600, flag: "wx" });
	// The mode given to open() is cut by the umask.
	if (mode !== undefined) chmodSync(temporary, mode);
	renameSync(temporary, target);
}

/** proper-lockfile's protocol, which pi uses: a directory beside the file, stale after 10 s. */
function withPiLock<T>(path: string, work: () => T): T {
	const lock = `${path}.lock`;
	for (let attempt = 1; ; attempt++) {
		try {
			mkdirSync(lock);
			break;
		} catch (error) {
			if (codeOf(error) !== "EEXIST") throw error;
			if (isStale(lock)) rmdirSync(lock);
			else if (attempt >= 10) throw new Error("pi holds its lock");
			else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
		}
	}
	try {
		return work();
	} finally {
		rmdirSync(lock);
	}
}

function isStale(lock: string): boolean {
	const stats = statSync(lock, { throwIfNoEntry: false });
	return stats !== undefined && Date.now() - stats.mtimeMs > 10_000;
}

/** `base` with `changes` laid over it; objects are merged key by key, everything else is replaced. */
export function deepMerge(base: Record<string, unknown>, changes: Record<string, unknown>): Record<string, unknown> {
	const merged = { ...base };
	for (const [key, value] of Object.entries(changes)) {
		const old = merged[key];
		merged[key] = isRecord(value) && isRecord(old) ? deepMerge(old, value) : value;
	}
	return merged;
}

/** The file's own indentation; two spaces for a new one. */
function indentOf(text: string | undefined): string {
	return /^\{\r?\n([ \t]+)"/.exec(text?.replace(/^\uFEFF/, "") ?? "")?.[1] ?? "  ";
}

/** " line 3", as far as the engine's message or the text tells. */
function placeOf(error: unknown, text: string): string {
	const message = error instanceof Error ? error.message : "";
	const line = /line (\d+)/.exec(message)?.[1];
	if (line) return ` line ${line}`;
	const position = /position (\d+)/.exec(message)?.[1];
	if (position) return ` line ${text.slice(0, Number(position)).split("\n").length}`;
	return /end of JSON/i.test(message) ? ` line ${text.trimEnd().split("\n").length}` : "";
}

function realPath(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}

function modeOf(path: string): number | undefined {
	const stats = statSync(path, { throwIfNoEntry: false });
	return stats && stats.mode & 0o777;
}

function codeOf(error: unknown): string | undefined {
	const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
	return typeof code === "string" ? code : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
