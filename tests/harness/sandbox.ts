// A place of its own for one pi: agent directory, working folder, settings, models. Gone afterwards.

import type { ChildProcess } from "node:child_process";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { scratch } from "./scratch.ts";

export interface SandboxOptions {
	/** Base URL of the model server; left out, no model is configured. */
	url?: string;
	/** `settings.json`; `contextPrune` goes in here. A string is written as it is. */
	settings?: Record<string, unknown> | string;
	/** Files of the working folder, by relative path. */
	files?: Record<string, string | Buffer>;
	contextWindow?: number;
	/** Whether the model takes images. */
	images?: boolean;
}

export interface Sandbox {
	root: string;
	agentDir: string;
	cwd: string;
	settingsPath: string;
	/** Session files, oldest first. */
	sessionFiles(): string[];
	env(): NodeJS.ProcessEnv;
	/** A process that works in here, or how to end what does: it is killed before the folder goes. */
	owns(worker: ChildProcess | (() => void)): void;
	remove(): void;
}

/** Prices in dollars per million tokens, as models.json states them; the demo reckons with the same. */
export const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

export function createSandbox(options: SandboxOptions = {}): Sandbox {
	const folder = scratch("pi-decant-test-");
	const root = folder.path;
	const agentDir = join(root, "agent");
	const cwd = join(root, "work");
	mkdirSync(agentDir);
	mkdirSync(cwd);
	const settingsPath = join(agentDir, "settings.json");
	if (options.url) writeFileSync(join(agentDir, "models.json"), JSON.stringify(modelsFile(options)));
	const settings = options.settings ?? {};
	writeFileSync(
		settingsPath,
		typeof settings === "string" ? settings : JSON.stringify({ retry: { baseDelayMs: 20 }, ...settings }, null, 2),
	);
	for (const [name, content] of Object.entries(options.files ?? {})) {
		const path = join(cwd, name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, content);
	}
	return {
		root,
		agentDir,
		cwd,
		settingsPath,
		sessionFiles: () => globSync(join(agentDir, "sessions", "*", "*.jsonl")).sort(),
		env: () => ({
			PATH: process.env.PATH,
			LANG: "C.UTF-8",
			// pi's transpile cache lives under TMPDIR; sharing it keeps every run but the first warm.
			TMPDIR: tmpdir(),
			HOME: root,
			PI_CODING_AGENT_DIR: agentDir,
			PI_OFFLINE: "1",
			PI_TELEMETRY: "0",
			NO_COLOR: "1",
		}),
		owns: (worker) => folder.before(typeof worker === "function" ? worker : () => void worker.kill("SIGKILL")),
		remove: () => folder.remove(),
	};
}

function modelsFile(options: SandboxOptions): object {
	const model = {
		id: "scripted-1",
		name: "Scripted",
		reasoning: false,
		input: options.images ? ["text", "image"] : ["text"],
		contextWindow: options.contextWindow ?? 200_000,
		maxTokens: 8_192,
		cost: prices,
	};
	return {
		providers: {
			scripted: {
				baseUrl: options.url,
				apiKey: "sk-not-a-key",
				api: "openai-completions",
				compat: { supportsDeveloperRole: false, supportsStore: false },
				models: [model],
			},
		},
	};
}

/** The lines of a session file (header first). A line that is not JSON becomes `{ type: "torn" }`. */
export function readSession(path: string): Record<string, unknown>[] {
	return readFileSync(path, "utf8")
		.split("\n")
		.filter((line) => line.trim() !== "")
		.map((line) => {
			try {
				return JSON.parse(line) as Record<string, unknown>;
			} catch {
				return { type: "torn", line };
			}
		});
}
