// pi in a terminal with work that waits, and what a person does there. Whoever imports this has a server of its own.

import { readFileSync } from "node:fs";
import { after, afterEach } from "node:test";
import { answers, investigate, projectFiles } from "../harness/fixtures.ts";
import { extensionEntry, requireBuild } from "../harness/paths.ts";
import { createSandbox, readSession, type Sandbox } from "../harness/sandbox.ts";
import { labelledSummary, startServer } from "../harness/server.ts";
import { noTmux, startTerminal, type Terminal, type TerminalOptions } from "../harness/tmux.ts";

requireBuild();
export const skip = noTmux ?? false;
export const server = await startServer();
after(() => server.close());

export const used: Sandbox[] = [];
afterEach(() => {
	for (const sandbox of used.splice(0)) sandbox.remove();
});

/** pi with two batches waiting for a flush. */
export async function withWaitingBatches(
	options: TerminalOptions & { settings?: object } = {},
): Promise<{ terminal: Terminal; sandbox: Sandbox }> {
	server.reset();
	server.script({ agent: investigate, summarizer: labelledSummary });
	const contextPrune = { pruneOn: "on-demand" };
	const settings = { quietStartup: true, theme: "dark", contextPrune, ...options.settings };
	const sandbox = createSandbox({ url: server.url, files: projectFiles, settings });
	used.push(sandbox);
	const terminal = startTerminal(sandbox, { extensions: [extensionEntry], ...options });
	await terminal.until(/prune: ON/);
	await say(terminal, "Why does the parser fail?");
	await terminal.until((screen) => screen.includes(answers.first) && /prune: ON/.test(screen), "the answer");
	return { terminal, sandbox };
}

/** Gives a line in and sends it off. Pasted, since Enter would choose from the menu that completes what is typed. */
export async function say(terminal: Terminal, line: string): Promise<void> {
	terminal.paste(line);
	await terminal.until((screen) => screen.includes(line), `the line "${line}"`);
	terminal.keys("Enter");
}

/** Types into a form and sends it off. */
export async function enter(terminal: Terminal, text: string): Promise<void> {
	terminal.type(text);
	await terminal.until((screen) => screen.includes(text), `the text "${text}"`);
	terminal.keys("Enter");
}

export async function flushed(options: TerminalOptions & { settings?: object } = {}) {
	const pi = await withWaitingBatches(options);
	await say(pi.terminal, "/pruner now");
	await pi.terminal.until(/summarized 3 tool results in 2 batches/);
	return pi;
}

/** Keys one after the other, each of which changes the screen before the next. */
export async function press(terminal: Terminal, ...names: string[]): Promise<void> {
	for (const name of names) {
		const before = await terminal.settled();
		terminal.keys(name);
		await terminal.until((screen) => screen !== before, `what ${name} changes`);
	}
}

export const gone = (terminal: Terminal, what: RegExp) =>
	terminal.until((screen) => !what.test(screen), `a screen without ${what}`);

/** All rows of the settings list, by moving down once around it. */
export async function everyRow(terminal: Terminal): Promise<{ label: string; column: number }[]> {
	const selected = (screen: string) => /^→ (\S+)( +)/m.exec(screen);
	const rows = new Map<string, { label: string; column: number }>();
	for (let screen = await terminal.until((now) => selected(now) !== null, "the first row"); ; ) {
		const [, label = "", gap = ""] = selected(screen) ?? [];
		if (rows.has(label)) return [...rows.values()];
		rows.set(label, { label, column: label.length + gap.length });
		terminal.keys("Down");
		screen = await terminal.until((next) => (selected(next)?.[1] ?? label) !== label, "the next row");
	}
}

export function saved({ settingsPath }: Sandbox): unknown {
	return JSON.parse(readFileSync(settingsPath, "utf8")).contextPrune;
}

export function epochs(sandbox: Sandbox): unknown[] {
	return sandbox
		.sessionFiles()
		.flatMap(readSession)
		.filter(({ customType }) => customType === "context-prune-epoch");
}
