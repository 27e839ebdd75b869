// Transcripts of our own in every format the page reads. One story: two prompts, some tool calls, replies.

import { random, textOfKind } from "../harness/random.ts";
import { SessionBuilder } from "../harness/sessions.ts";

const rows = (lines: readonly unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

const output = (nth: number) => textOfKind(random(nth), "log", 6_000);

/** Prompts with tool turns between them; the first words of each are searched for on the page. */
export const story = ["Find out why the watcher is late", "Now write the test for it", "And tidy up"] as const;

export function piSession(version: 1 | 2 | 3 = 3): string {
	const session = new SessionBuilder();
	for (const [at, prompt] of story.entries()) {
		session.user(prompt);
		for (let nth = 0; nth < 4; nth++)
			session.toolTurn([{ name: "bash", args: { command: `tail log-${nth}` }, result: output(at * 10 + nth) }]);
		session.assistant(`Done with part ${at + 1}.`);
	}
	if (version === 3) return session.jsonl();
	const [header, ...entries] = session.lines();
	// Version 1 has no ids; version 2 has them. Both say so only in the header.
	const bare = entries.map((entry) => (version === 1 ? { ...entry, id: undefined, parentId: undefined } : entry));
	const { version: _, ...first } = header as { version: number };
	return rows([version === 1 ? first : { ...first, version }, ...bare]);
}

export function claudeCode(): string {
	const lines: Record<string, unknown>[] = [];
	let nth = 0;
	const add = (type: "user" | "assistant", message: Record<string, unknown>) => {
		const uuid = `00000000-0000-4000-8000-${String(++nth).padStart(12, "0")}`;
		const parentUuid = lines.at(-1)?.uuid ?? null;
		const timestamp = new Date(Date.UTC(2026, 0, 5, 9) + nth * 2_000).toISOString();
		const common = { isSidechain: false, userType: "external", cwd: "/work", sessionId: "s", version: "2.0.0" };
		lines.push({ parentUuid, ...common, type, message, uuid, timestamp });
	};
	for (const [at, prompt] of story.entries()) {
		add("user", { role: "user", content: prompt });
		for (let call = 0; call < 4; call++) {
			const id = `toolu_${at}_${call}`;
			const use = { type: "tool_use", id, name: "Bash", input: { command: `tail log-${call}` } };
			add("assistant", claudeReply(`msg_${at}_${call}`, [use], "tool_use"));
			const result = { tool_use_id: id, type: "tool_result", content: output(at * 10 + call) };
			add("user", { role: "user", content: [result] });
		}
		add("assistant", claudeReply(`msg_${at}`, [{ type: "text", text: `Done with part ${at + 1}.` }], "end_turn"));
	}
	return rows(lines);
}

function claudeReply(id: string, content: unknown[], stop_reason: string): Record<string, unknown> {
	const usage = { input_tokens: 5, cache_creation_input_tokens: 900, cache_read_input_tokens: 100, output_tokens: 40 };
	return { id, type: "message", role: "assistant", model: "claude-sonnet-4-5", content, stop_reason, usage };
}

export function codex(): string {
	let nth = 0;
	const line = (type: string, payload: Record<string, unknown>) => ({
		timestamp: new Date(Date.UTC(2026, 0, 5, 9) + ++nth * 2_000).toISOString(),
		type,
		payload,
	});
	const message = (role: string, type: string, text: string) =>
		line("response_item", { type: "message", role, content: [{ type, text }] });
	const lines = [
		line("session_meta", {
			id: "0199-s",
			timestamp: "2026-01-05T09:00:00.000Z",
			cwd: "/work",
			originator: "codex_cli_rs",
		}),
		line("turn_context", { cwd: "/work", model: "gpt-5-codex" }),
	];
	for (const [at, prompt] of story.entries()) {
		lines.push(message("user", "input_text", prompt));
		for (let call = 0; call < 4; call++) {
			const call_id = `call_${at}_${call}`;
			const args = JSON.stringify({ command: ["tail", `log-${call}`] });
			lines.push(line("response_item", { type: "function_call", name: "shell", arguments: args, call_id }));
			const text = JSON.stringify({ output: output(at * 10 + call), metadata: { exit_code: 0 } });
			lines.push(line("response_item", { type: "function_call_output", call_id, output: text }));
		}
		lines.push(message("assistant", "output_text", `Done with part ${at + 1}.`));
	}
	return rows(lines);
}

/** A turn is one message there; its steps are the requests, each with a bill of its own. */
export function openCode(): string {
	const start = Date.UTC(2026, 0, 5, 9);
	const sessionID = "ses_1";
	const messages = story.flatMap((prompt, at) => {
		const created = start + at * 60_000;
		const messageID = `msg_${at}`;
		let nth = 0;
		const part = (type: string, fields: object) => ({
			id: `prt_${at}_${nth++}`,
			sessionID,
			messageID,
			type,
			...fields,
		});
		const step = (reason: string, content: object) => [
			part("step-start", { snapshot: "5f1c0e" }),
			content,
			part("step-finish", { reason, snapshot: "5f1c0e", cost: 0, tokens: openCodeTokens(900 + nth * 300) }),
		];
		const steps = Array.from({ length: 4 }, (_, call) => {
			const state = {
				status: "completed",
				input: { command: `tail log-${call}`, description: "Read the log" },
				output: output(at * 10 + call),
				title: "Read the log",
				metadata: { exit: 0 },
				time: { start: created + call * 2_000, end: created + call * 2_000 + 500 },
			};
			return step("tool-calls", part("tool", { callID: `call_${at}_${call}`, tool: "bash", state }));
		});
		const time = { start: created + 9_000, end: created + 9_500 };
		steps.push(step("stop", part("text", { text: `Done with part ${at + 1}.`, time })));
		const info = {
			id: messageID,
			sessionID,
			parentID: `msg_u${at}`,
			role: "assistant",
			mode: "build",
			modelID: "claude-sonnet-4-5",
			providerID: "anthropic",
			path: { cwd: "/work", root: "/work" },
			time: { created: created + 1_000, completed: created + 9_500 },
			cost: 0,
			tokens: openCodeTokens(900 + nth * 300),
			finish: "stop",
		};
		const asked = { id: `prt_u${at}`, sessionID, messageID: `msg_u${at}`, type: "text", text: prompt };
		return [
			{ info: { id: `msg_u${at}`, sessionID, role: "user", time: { created } }, parts: [asked] },
			{ info, parts: steps.flat() },
		];
	});
	const info = {
		id: sessionID,
		title: "The late watcher",
		directory: "/work",
		version: "1.0.0",
		time: { created: start, updated: start + 130_000 },
	};
	return JSON.stringify({ info, messages }, null, 2);
}

const openCodeTokens = (read: number) => ({ input: 10, output: 40, reasoning: 0, cache: { read, write: 100 } });

export function openAiRows(): string {
	const messages: unknown[] = [{ role: "system", content: "You are a careful programmer." }];
	for (const [at, prompt] of story.entries()) {
		messages.push({ role: "user", content: prompt });
		for (let call = 0; call < 4; call++) {
			const id = `call_${at}_${call}`;
			const args = JSON.stringify({ command: `tail log-${call}` });
			const tool_calls = [{ id, type: "function", function: { name: "bash", arguments: args } }];
			messages.push({ role: "assistant", content: null, tool_calls });
			messages.push({ role: "tool", tool_call_id: id, content: output(at * 10 + call) });
		}
		messages.push({ role: "assistant", content: `Done with part ${at + 1}.` });
	}
	return rows(messages);
}

/** File name, content and what the page calls it. */
export const formats: { name: string; make: () => string; called: string }[] = [
	{ name: "pi-v1.jsonl", make: () => piSession(1), called: "pi, version 1" },
	{ name: "pi-v2.jsonl", make: () => piSession(2), called: "pi, version 2" },
	{ name: "pi-v3.jsonl", make: () => piSession(3), called: "pi, version 3" },
	{ name: "claude.jsonl", make: claudeCode, called: "Claude Code" },
	{ name: "codex.jsonl", make: codex, called: "Codex" },
	{ name: "opencode.json", make: openCode, called: "OpenCode" },
	{ name: "openai.jsonl", make: openAiRows, called: "OpenAI chat rows" },
];
