// pi in a real terminal: a tmux of its own, keys in, the screen out as text.

import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { nodeBinary } from "./paths.ts";
import { type PiOptions, piArguments } from "./pi.ts";
import type { Sandbox } from "./sandbox.ts";
import { PATIENCE_MS } from "./waiting.ts";

/** Why no terminal can be had; undefined where one can. */
export const noTmux =
	spawnSync("tmux", ["-V"]).status === 0 ? undefined : "tmux is missing; `cargo xtask setup` installs it";

export interface Terminal {
	/** The screen as text, without blank lines at its end. */
	screen(): string;
	/** The same with colors. */
	colored(): string;
	/** Keys by tmux's names: "Enter", "Escape", "Down", "C-o". */
	keys(...names: string[]): void;
	/** Text as it would be typed. */
	type(text: string): void;
	/** Text in one piece, as from the clipboard: no menu opens that completes it. */
	paste(text: string): void;
	/** Waits until the screen fits; fails with the screen that does not. */
	until(wanted: RegExp | ((screen: string) => boolean), what?: string, timeoutMs?: number): Promise<string>;
	/** Waits until nothing changes for a moment, and gives that. */
	settled(): Promise<string>;
	resize(columns: number, rows: number): void;
	stop(): void;
}

export interface TerminalOptions extends Pick<PiOptions, "extensions" | "args" | "env"> {
	columns?: number;
	rows?: number;
}

let started = 0;

/** Starts pi's TUI. The tmux server is this test's own, so that nobody's sessions are touched. */
export function startTerminal(sandbox: Sandbox, options: TerminalOptions = {}): Terminal {
	// In the sandbox, since a socket stays when its server has gone.
	const socket = join(sandbox.root, `tmux-${started++}`);
	const { columns = 120, rows = 40 } = options;
	const env = { ...sandbox.env(), NO_COLOR: undefined, COLORTERM: "truecolor", ...options.env };
	const tmux = (...args: string[]) =>
		execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
			encoding: "utf8",
			stdio: ["ignore", "pipe", "pipe"],
		});
	const size = ["-x", String(columns), "-y", String(rows)];
	const variables = Object.entries(env).flatMap(([name, value]) =>
		value === undefined ? [] : ["-e", `${name}=${value}`],
	);
	tmux("new-session", "-d", "-s", "pi", ...size, "-c", sandbox.cwd, ...variables, nodeBinary, ...piArguments(options));
	// What the window says stays readable after its process has ended.
	tmux("set-option", "-g", "remain-on-exit", "on");
	const capture = (...flags: string[]) => tmux("capture-pane", "-p", ...flags, "-t", "pi").replace(/\n+$/, "");
	const terminal: Terminal = {
		screen: () => capture(),
		colored: () => capture("-e"),
		keys: (...names) => {
			tmux("send-keys", "-t", "pi", ...names);
		},
		type: (text) => {
			tmux("send-keys", "-t", "pi", "-l", text);
		},
		paste: (text) => {
			tmux("set-buffer", text);
			tmux("paste-buffer", "-p", "-d", "-t", "pi");
		},
		until: async (wanted, what = String(wanted), timeoutMs = PATIENCE_MS) => {
			const fits = typeof wanted === "function" ? wanted : (screen: string) => wanted.test(screen);
			const end = performance.now() + timeoutMs;
			for (;;) {
				const screen = terminal.screen();
				if (fits(screen)) return screen;
				if (performance.now() > end) throw new Error(`${timeoutMs} ms passed without ${what}. The screen:\n${screen}`);
				await delay(50);
			}
		},
		settled: async () => {
			let last = "";
			let same = 0;
			await terminal.until((screen) => {
				same = screen === last ? same + 1 : 0;
				last = screen;
				return same >= 4;
			}, "a screen that stays the same");
			return last;
		},
		resize: (wide, high) => {
			tmux("resize-window", "-t", "pi", "-x", String(wide), "-y", String(high));
		},
		stop: () => {
			try {
				// Not asked but killed: one that takes its time would write where the next pi of the test reads.
				process.kill(Number(tmux("display-message", "-p", "-t", "pi", "#{pane_pid}")), "SIGKILL");
			} catch {
				// It has ended already.
			}
			try {
				tmux("kill-server");
			} catch {
				// It ended with pi.
			}
		},
	};
	sandbox.owns(terminal.stop);
	return terminal;
}
