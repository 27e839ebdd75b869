// A scripted model: an OpenAI-compatible chat-completions server on 127.0.0.1, in process.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PrefixCache, promptText, tokensOf } from "./prefix-cache.ts";

export type ChatContent = string | null | { type: string; text?: string; image_url?: { url: string } }[];

export interface ChatMessage {
	role: string;
	content?: ChatContent;
	tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
	tool_call_id?: string;
	reasoning_content?: string;
}

export interface ChatBody {
	model: string;
	messages: ChatMessage[];
	tools?: { type: string; function: { name: string; description?: string; parameters?: unknown } }[];
	max_completion_tokens?: number;
	[key: string]: unknown;
}

/** `agent`: the main loop. `summarizer`: our batch summaries. `compaction`: pi's own summaries. */
export type RequestKind = "agent" | "summarizer" | "compaction";

export interface ModelRequest {
	/** Place among all requests, from 0. */
	index: number;
	/** Place among those of its kind, from 0. */
	kindIndex: number;
	kind: RequestKind;
	headers: IncomingHttpHeaders;
	body: ChatBody;
	raw: string;
	/** Prompt tokens (chars/4) and the part of them an earlier request of this run began with. */
	tokens: number;
	cached: number;
	/** Tokens of the scripted answer. */
	output: number;
	/** `performance.now()` on arrival, and when the answer was sent; undefined while it is open. */
	arrived: number;
	answered?: number;
}

export interface ScriptedCall {
	name: string;
	args: unknown;
	id?: string;
}

/** One answer. An empty step is an empty text. */
export interface Step {
	text?: string;
	reasoning?: string;
	calls?: ScriptedCall[];
	finish?: string;
	/** HTTP status other than 200: the request fails. */
	status?: number;
	error?: string;
	/** Nothing is sent before this has settled. */
	after?: Promise<unknown>;
	/** Break the connection in the middle of the stream. */
	cut?: boolean;
	/** What the provider says was used, instead of the truth; `null`: it says nothing. */
	usage?: object | null;
}

export type Script = readonly Step[] | ((request: ModelRequest) => Step | Promise<Step>);

export interface ServerOptions {
	/** Answers of the main loop, in order; past the end the text is "done". */
	agent?: Script;
	/** Answers to summarizer requests; default `labelledSummary`. */
	summarizer?: Script;
	compaction?: Script;
}

export interface ModelServer {
	/** Base URL with `/v1`. */
	url: string;
	requests: ModelRequest[];
	of(kind: RequestKind): ModelRequest[];
	/** Replace the scripts for what comes next; places in the new script start at 0. */
	script(options: ServerOptions): void;
	/** Forget requests and cache. */
	reset(): void;
	close(): Promise<void>;
}

export function kindOf(body: ChatBody): RequestKind {
	if ((body.tools ?? []).length > 0) return "agent";
	const text = body.messages.map((message) => textOf(message)).join("\n");
	if (/<(tool-call-batch|sub-task-summaries)>/.test(text)) return "summarizer";
	if (text.includes("context summarization assistant")) return "compaction";
	return "agent";
}

/** Text of a message: its text parts joined by a newline; images are left out. */
export function textOf(message: ChatMessage): string {
	if (typeof message.content === "string") return message.content;
	return (message.content ?? []).flatMap((part) => (part.type === "text" ? [part.text ?? ""] : [])).join("\n");
}

/** The labels of a summarizer prompt, in order. */
export function labelsOf(request: ModelRequest): string[] {
	const text = request.body.messages.map((message) => textOf(message)).join("\n");
	const batch = text.slice(text.lastIndexOf("<tool-call-batch>"));
	return [...batch.matchAll(/^\[\[(\d+:[^\]\n]+)\]\] Tool:/gm)].map((match) => match[1] as string);
}

/** A well-behaved summarizer: one bullet a call, each begun with its label. */
export function labelledSummary(request: ModelRequest): Step {
	return {
		text: labelsOf(request)
			.map((label) => `- [[${label}]] looked at; nothing unusual.`)
			.join("\n"),
	};
}

interface Track {
	script: Script;
	next: number;
}

function take(track: Track, request: ModelRequest, fallback: Step): Step | Promise<Step> {
	if (typeof track.script === "function") return track.script(request);
	return track.script[track.next++] ?? fallback;
}

export async function startServer(options: ServerOptions = {}): Promise<ModelServer> {
	const requests: ModelRequest[] = [];
	let cache = new PrefixCache();
	const tracks: Record<RequestKind, Track> = {
		agent: { script: options.agent ?? [], next: 0 },
		summarizer: { script: options.summarizer ?? labelledSummary, next: 0 },
		compaction: { script: options.compaction ?? [], next: 0 },
	};
	const fallback: Record<RequestKind, Step> = {
		agent: { text: "done" },
		summarizer: { text: "" },
		compaction: { text: "## Goal\nScripted compaction summary." },
	};

	async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
		const raw = await readAll(incoming);
		if (incoming.method !== "POST" || !incoming.url?.endsWith("/chat/completions")) {
			response.writeHead(404, { "content-type": "application/json" }).end("{}");
			return;
		}
		const body = JSON.parse(raw) as ChatBody;
		const kind = kindOf(body);
		const { tokens, cached } = cache.read(promptText(body));
		const request: ModelRequest = {
			index: requests.length,
			kindIndex: requests.filter((earlier) => earlier.kind === kind).length,
			kind,
			headers: incoming.headers,
			body,
			raw,
			tokens,
			cached,
			output: 0,
			arrived: performance.now(),
		};
		requests.push(request);
		const step = await take(tracks[kind], request, fallback[kind]);
		await step.after;
		if (response.destroyed) return;
		stream(request, step, response);
		request.answered = performance.now();
	}

	const server = createServer((incoming, response) => {
		answer(incoming, response).catch((error: unknown) => {
			// A script that throws must show up in the test, not hang pi.
			if (!response.headersSent) response.writeHead(400, { "content-type": "application/json" });
			response.end(JSON.stringify({ error: { message: `test script: ${String(error)}` } }));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		requests,
		of: (kind) => requests.filter((request) => request.kind === kind),
		script(next) {
			for (const kind of ["agent", "summarizer", "compaction"] as const) {
				const script = next[kind];
				if (script) tracks[kind] = { script, next: 0 };
			}
		},
		reset() {
			requests.length = 0;
			cache = new PrefixCache();
		},
		close() {
			server.closeAllConnections();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}

function stream(request: ModelRequest, step: Step, response: ServerResponse): void {
	if (step.status && step.status !== 200) {
		response.writeHead(step.status, { "content-type": "application/json" });
		response.end(JSON.stringify({ error: { message: step.error ?? "scripted failure", type: "scripted" } }));
		return;
	}
	response.writeHead(200, { "content-type": "text/event-stream" });
	const base = {
		id: `chatcmpl-${request.index}`,
		object: "chat.completion.chunk",
		created: 1,
		model: request.body.model,
	};
	const send = (delta: object, finish: string | null = null) =>
		response.write(`data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
	const calls = (step.calls ?? []).map((call, at) => ({
		index: at,
		id: call.id ?? `call_${request.index}_${at}`,
		type: "function",
		function: { name: call.name, arguments: JSON.stringify(call.args) },
	}));
	send({ role: "assistant" });
	if (step.reasoning) send({ reasoning_content: step.reasoning });
	if (step.text) send({ content: step.text });
	if (step.cut) {
		// Give the bytes a chance to leave before the socket goes.
		setTimeout(() => response.destroy(), 20);
		return;
	}
	for (const call of calls) send({ tool_calls: [call] });
	send({}, step.finish ?? (calls.length > 0 ? "tool_calls" : "stop"));
	request.output = tokensOf(
		(step.text ?? "").length + (step.reasoning ?? "").length + JSON.stringify(calls).length - 2,
	);
	const truth = {
		prompt_tokens: request.tokens,
		completion_tokens: request.output,
		total_tokens: request.tokens + request.output,
		prompt_tokens_details: { cached_tokens: request.cached },
	};
	const usage = step.usage === undefined ? truth : step.usage;
	if (usage) response.write(`data: ${JSON.stringify({ ...base, choices: [], usage })}\n\n`);
	response.end("data: [DONE]\n\n");
}

async function readAll(incoming: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of incoming) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString("utf8");
}
