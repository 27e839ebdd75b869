// pi in rpc mode: one process, several prompts, with a say in when each comes.

import { spawn } from "node:child_process";
import { nodeBinary } from "./paths.ts";
import { type PiOptions, piArguments } from "./pi.ts";
import type { Sandbox } from "./sandbox.ts";
import { PROCESS_MS } from "./waiting.ts";

export interface RpcRecord {
	type: string;
	id?: string;
	[key: string]: unknown;
}

export interface RpcPi {
	/** Everything pi wrote to stdout so far, in order. */
	records: RpcRecord[];
	stderr(): string;
	/** Sends a command and resolves with its response. */
	command(type: string, fields?: Record<string, unknown>): Promise<RpcRecord>;
	/** Sends a prompt and, where it started a run, resolves once pi is settled. */
	prompt(message: string): Promise<RpcRecord>;
	/** The first record after `from` (default: now) that `test` accepts. */
	next(test: (record: RpcRecord) => boolean, what: string, from?: number): Promise<RpcRecord>;
	/** Notices of extensions (`ctx.ui.notify`) so far. */
	notices(): string[];
	/** Closes stdin and waits for the end. */
	stop(): Promise<number | null>;
	/** Sends a signal; `ended` resolves when the process is gone. */
	kill(signal: NodeJS.Signals): void;
	ended: Promise<number | null>;
}

export function startRpc(
	sandbox: Sandbox,
	options: Pick<PiOptions, "extensions" | "discover" | "args" | "env" | "timeoutMs">,
): RpcPi {
	const timeoutMs = options.timeoutMs ?? PROCESS_MS;
	const child = spawn(nodeBinary, [...piArguments(options), "--mode", "rpc"], {
		cwd: sandbox.cwd,
		env: { ...sandbox.env(), ...options.env },
		stdio: ["pipe", "pipe", "pipe"],
	});
	sandbox.owns(child);
	const records: RpcRecord[] = [];
	const waiting = new Set<() => void>();
	let stderr = "";
	let rest = "";
	let ended = false;
	let late = false;
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		stderr += text;
	});
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		// Split on LF only: readline would also split on U+2028, which is valid inside a JSON string.
		const lines = (rest + text).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) if (line.trim() !== "") records.push(JSON.parse(line) as RpcRecord);
		for (const wake of [...waiting]) wake();
	});
	const exit = new Promise<number | null>((resolve) => {
		child.once("close", (code) => {
			ended = true;
			for (const wake of [...waiting]) wake();
			resolve(code);
		});
	});
	const killer = setTimeout(() => {
		late = true;
		child.kill("SIGKILL");
	}, timeoutMs);
	exit.then(() => clearTimeout(killer));

	let nextId = 0;
	function next(test: (record: RpcRecord) => boolean, what: string, from = records.length): Promise<RpcRecord> {
		return new Promise((resolve, reject) => {
			let at = from;
			const look = () => {
				for (; at < records.length; at++) {
					const record = records[at] as RpcRecord;
					if (!test(record)) continue;
					waiting.delete(look);
					return resolve(record);
				}
				if (!ended) return;
				waiting.delete(look);
				const how = late ? `was killed after ${timeoutMs} ms` : "ended";
				reject(new Error(`pi ${how} while the test waited for ${what}; stderr:\n${stderr}`));
			};
			waiting.add(look);
			look();
		});
	}

	async function command(type: string, fields: Record<string, unknown> = {}): Promise<RpcRecord> {
		const id = `test-${nextId++}`;
		const response = next((record) => record.type === "response" && record.id === id, `the response to ${type}`);
		child.stdin.write(`${JSON.stringify({ id, type, ...fields })}\n`);
		return response;
	}

	return {
		records,
		stderr: () => stderr,
		command,
		next,
		async prompt(message) {
			const from = records.length;
			const response = await command("prompt", { message });
			const disposition = (response.data as { disposition?: string } | undefined)?.disposition;
			if (response.success === true && disposition === "started")
				await next((record) => record.type === "agent_settled", "agent_settled", from);
			return response;
		},
		notices: () =>
			records
				.filter((record) => record.type === "extension_ui_request" && record.method === "notify")
				.map((record) => String(record.message)),
		async stop() {
			child.stdin.end();
			return exit;
		},
		kill: (signal) => void child.kill(signal),
		ended: exit,
	};
}
