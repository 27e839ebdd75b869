// Runs the real pi as a process: one-shot (print, json). The long-lived form is in rpc.ts.

import { type ChildProcess, spawn } from "node:child_process";
import { nodeBinary, piCli } from "./paths.ts";
import { readSession, type Sandbox } from "./sandbox.ts";
import { PROCESS_MS } from "./waiting.ts";

export interface PiOptions {
	prompts: string[];
	mode?: "print" | "json";
	/** Extensions given with `-e`, in order. Discovery is off, so nothing else is loaded. */
	extensions?: string[];
	/** Load what is installed in the agent directory as well. */
	discover?: boolean;
	args?: string[];
	env?: NodeJS.ProcessEnv;
	/** Default `PROCESS_MS`. The process is killed then and `timedOut` is set. */
	timeoutMs?: number;
	/** Largest file the process may write, in blocks of 1,024 bytes (`ulimit -f`). */
	fileLimitKiB?: number;
}

export interface PiRun {
	stdout: string;
	stderr: string;
	exitCode: number | null;
	signal: NodeJS.Signals | null;
	timedOut: boolean;
	ms: number;
	/** Records of json mode; empty in print mode. */
	events: Record<string, unknown>[];
	/** The newest session file and its lines; undefined without one. */
	sessionFile?: string;
	entries: Record<string, unknown>[];
}

export function piArguments(options: Pick<PiOptions, "extensions" | "discover" | "args">): string[] {
	const discovery = options.discover ? [] : ["--no-extensions"];
	const extensions = (options.extensions ?? []).flatMap((path) => ["-e", path]);
	const fixed = [
		"--model",
		"scripted/scripted-1",
		"--thinking",
		"off",
		"--no-mcp",
		"--no-skills",
		"--no-context-files",
	];
	return [piCli, ...fixed, ...discovery, ...extensions, ...(options.args ?? [])];
}

export async function runPi(sandbox: Sandbox, options: PiOptions): Promise<PiRun> {
	const modeArgs = options.mode === "json" ? ["--mode", "json"] : ["-p"];
	const argv = [...piArguments(options), ...modeArgs, ...options.prompts];
	const run = await runProcess(argv, sandbox, options);
	const sessionFile = sandbox.sessionFiles().at(-1);
	return {
		...run,
		events: options.mode === "json" ? jsonLines(run.stdout) : [],
		...(sessionFile ? { sessionFile } : {}),
		entries: sessionFile ? readSession(sessionFile) : [],
	};
}

/** `pi install ...` and its like: the arguments as they are. */
export function runPiCommand(sandbox: Sandbox, args: string[], options: Partial<PiOptions> = {}): Promise<ProcessRun> {
	return runProcess([piCli, ...args], sandbox, options);
}

type ProcessRun = Pick<PiRun, "stdout" | "stderr" | "exitCode" | "signal" | "timedOut" | "ms">;

async function runProcess(argv: string[], sandbox: Sandbox, options: Partial<PiOptions>): Promise<ProcessRun> {
	const started = performance.now();
	const child = options.fileLimitKiB
		? spawnPi(
				"bash",
				["-c", `ulimit -f ${options.fileLimitKiB}; exec "$@"`, "pi", nodeBinary, ...argv],
				sandbox,
				options,
			)
		: spawnPi(nodeBinary, argv, sandbox, options);
	let stdout = "";
	let stderr = "";
	child.stdout?.setEncoding("utf8").on("data", (text: string) => {
		stdout += text;
	});
	child.stderr?.setEncoding("utf8").on("data", (text: string) => {
		stderr += text;
	});
	let timedOut = false;
	const timer = setTimeout(() => {
		timedOut = true;
		child.kill("SIGKILL");
	}, options.timeoutMs ?? PROCESS_MS);
	const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
		child.once("error", reject);
		child.once("close", (code, by) => resolve([code, by]));
	});
	clearTimeout(timer);
	return { stdout, stderr, exitCode, signal, timedOut, ms: performance.now() - started };
}

function spawnPi(command: string, argv: string[], sandbox: Sandbox, options: Partial<PiOptions>): ChildProcess {
	const child = spawn(command, argv, {
		cwd: sandbox.cwd,
		env: { ...sandbox.env(), ...options.env },
		// stdin closed: pi reads a piped stdin to its end before it starts.
		stdio: ["ignore", "pipe", "pipe"],
	});
	sandbox.owns(child);
	return child;
}

function jsonLines(text: string): Record<string, unknown>[] {
	return text
		.split("\n")
		.filter((line) => line.trim() !== "")
		.map((line) => JSON.parse(line) as Record<string, unknown>);
}
