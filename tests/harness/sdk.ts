// pi in process, through its SDK, with a scripted provider: for the many cases a process each would be too slow for.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentMessage } from "@earendil-works/pi-agent-core";
import type * as Ai from "@earendil-works/pi-ai";
import type * as Pi from "@earendil-works/pi-coding-agent";
import { extensionEntry, piAiDir, piPackageDir } from "./paths.ts";
import type { Sandbox } from "./sandbox.ts";

type Message = Ai.Message;

export interface SdkCall {
	name: string;
	args: Ai.ToolCall["arguments"];
	id?: string;
}

export interface SdkStep {
	text?: string;
	thinking?: string;
	calls?: SdkCall[];
	/** The request fails with this message. */
	error?: string;
	/** Nothing comes before this has settled; an abort ends the wait. */
	after?: Promise<unknown>;
	stopReason?: "length";
}

/** What the provider was given for one request. */
export interface SdkRequest {
	kind: "agent" | "summarizer" | "compaction";
	/** Id of the model that was asked. */
	model: string;
	messages: Message[];
	/** The request was taken back while it waited. */
	aborted?: boolean;
	/** What pi alone would have sent at this moment: its projection of the branch. */
	projection: Message[];
}

export interface SdkOptions {
	sandbox: Sandbox;
	/** Entries of a session file (header first) to start from. */
	entries?: readonly object[];
	/** Or the text of one, as it is. */
	sessionText?: string;
	/** Or the session manager itself. */
	sessionManager?: Pi.SessionManager;
	agent?: readonly SdkStep[] | ((request: SdkRequest, index: number) => SdkStep);
	summarizer?: (request: SdkRequest, index: number) => SdkStep;
	/** Default: our extension alone. */
	extensions?: string[];
	contextWindow?: number;
	images?: boolean;
	tools?: string[];
	/** Id of the model, and the protocol it pretends to be spoken to in. */
	model?: string;
	api?: string;
	/** Ids of further models of the provider `faux`. */
	models?: string[];
	/** Default `print`. In `rpc` and `tui` notices are kept instead of going to stderr. */
	mode?: "print" | "rpc" | "tui";
}

export interface SdkPi {
	session: Pi.AgentSession;
	manager: Pi.SessionManager;
	/** Requests in order, cloned on arrival. */
	requests: SdkRequest[];
	of(kind: SdkRequest["kind"]): SdkRequest[];
	/** Errors pi reported for extension handlers. */
	errors: string[];
	notices: string[];
	/** What extensions sent over the bus they share. */
	bus: Pi.EventBus;
	prompt(text: string): Promise<void>;
	/** What pi does before it ends: resolves when all extensions have settled. */
	quit(): Promise<void>;
	dispose(): Promise<void>;
}

export const pi = (await import(pathToFileURL(join(piPackageDir, "dist", "index.js")).href)) as typeof Pi;
const ai = (await import(pathToFileURL(join(piAiDir, "dist", "index.js")).href)) as typeof Ai;

export async function openSdk(options: SdkOptions): Promise<SdkPi> {
	const { sandbox } = options;
	// The extension and pi both resolve the agent directory from the environment at each access.
	process.env.PI_CODING_AGENT_DIR = sandbox.agentDir;
	process.env.PI_OFFLINE = "1";
	process.env.PI_TELEMETRY = "0";

	const requests: SdkRequest[] = [];
	const faux = ai.fauxProvider({
		provider: "faux",
		...(options.api ? { api: options.api } : {}),
		models: [options.model ?? "faux-1", ...(options.models ?? [])].map((id) => ({
			id,
			input: options.images ? ["text", "image"] : ["text"],
			contextWindow: options.contextWindow ?? 200_000,
			maxTokens: 4_000,
		})),
	});
	const answer: Ai.FauxResponseFactory = async (context, streamOptions, _state, model) => {
		const messages = structuredClone(context.messages);
		const kind = kindOf(messages);
		const index = requests.filter((request) => request.kind === kind).length;
		const projection = structuredClone(pi.convertToLlm(manager.buildSessionProjection().messages));
		const request: SdkRequest = { kind, model: model.id, messages, projection };
		requests.push(request);
		const step = stepFor(request, index, options);
		if (step.after) request.aborted = await waited(step.after, streamOptions?.signal);
		return reply(step);
	};
	faux.setResponses(Array.from({ length: 2_000 }, () => answer));

	const modelRuntime = await pi.ModelRuntime.create({
		authPath: join(sandbox.agentDir, "auth.json"),
		modelsPath: null,
	});
	modelRuntime.registerNativeProvider(faux.provider);
	const settingsManager = pi.SettingsManager.create(sandbox.cwd, sandbox.agentDir);
	const bus = pi.createEventBus();
	const resourceLoader = new pi.DefaultResourceLoader({
		eventBus: bus,
		cwd: sandbox.cwd,
		agentDir: sandbox.agentDir,
		settingsManager,
		additionalExtensionPaths: options.extensions ?? [extensionEntry],
		noExtensions: true,
		noSkills: true,
		noContextFiles: true,
	});
	await resourceLoader.reload();
	const loadErrors = resourceLoader.getExtensions().errors.map((error) => JSON.stringify(error));
	if (loadErrors.length > 0) throw new Error(`extension did not load: ${loadErrors.join("; ")}`);

	const manager = options.sessionManager ?? sessionFrom(options);
	const model = modelRuntime.getModel("faux", options.model ?? "faux-1");
	if (!model) throw new Error("the scripted model is not there");
	const { session } = await pi.createAgentSession({
		cwd: sandbox.cwd,
		agentDir: sandbox.agentDir,
		modelRuntime,
		model,
		thinkingLevel: "off",
		settingsManager,
		resourceLoader,
		sessionManager: manager,
		...(options.tools ? { tools: options.tools } : {}),
	});
	const errors: string[] = [];
	const notices: string[] = [];
	const mode = options.mode ?? "print";
	await session.bindExtensions({
		mode,
		...(mode === "print" ? {} : { uiContext: screen(notices) }),
		onError: (error) => errors.push(`${error.event}: ${error.error}`),
	});
	return {
		session,
		manager,
		requests,
		of: (kind) => requests.filter((request) => request.kind === kind),
		errors,
		notices,
		bus,
		prompt: (text) => session.prompt(text),
		quit: async () => {
			await session.extensionRunner.emit({ type: "session_shutdown", reason: "quit" });
		},
		dispose: async () => {
			await session.dispose();
		},
	};
}

/** A screen that nobody looks at; what is shown for a moment is kept. */
function screen(notices: string[]): Pi.ExtensionUIContext {
	const shown: Partial<Pi.ExtensionUIContext> = { notify: (line) => void notices.push(line) };
	const rest = { get: (target: object, key: PropertyKey) => Reflect.get(target, key) ?? (() => undefined) };
	return new Proxy(shown, rest) as Pi.ExtensionUIContext;
}

/** Whether the wait was cut short. */
async function waited(after: Promise<unknown>, signal: AbortSignal | undefined): Promise<boolean> {
	if (signal?.aborted) return true;
	return new Promise((resolve) => {
		void after.then(() => resolve(false));
		signal?.addEventListener("abort", () => resolve(true));
	});
}

/** A session file with these entries, opened as pi opens it. */
function sessionFrom({ sandbox, entries, sessionText }: SdkOptions): Pi.SessionManager {
	const folder = join(sandbox.agentDir, "sessions", "--built--");
	mkdirSync(folder, { recursive: true });
	const text = sessionText ?? entries?.map((entry) => `${JSON.stringify(entry)}\n`).join("");
	if (text === undefined) return pi.SessionManager.create(sandbox.cwd, folder);
	const path = join(folder, `${sandbox.sessionFiles().length}.jsonl`);
	writeFileSync(path, text);
	return pi.SessionManager.open(path, folder, sandbox.cwd);
}

function kindOf(messages: readonly Message[]): SdkRequest["kind"] {
	const all = JSON.stringify(messages);
	if (messages.some((message) => message.role === "system" && (message.toolsAdded ?? []).length > 0)) return "agent";
	if (/<(tool-call-batch|sub-task-summaries)>/.test(all)) return "summarizer";
	return all.includes("summarization assistant") ? "compaction" : "agent";
}

function stepFor(request: SdkRequest, index: number, options: SdkOptions): SdkStep {
	if (request.kind === "compaction") return { text: "## Goal\nScripted compaction summary." };
	if (request.kind === "summarizer") return options.summarizer?.(request, index) ?? labelledStep(request);
	if (typeof options.agent === "function") return options.agent(request, index);
	return options.agent?.[index] ?? { text: "done" };
}

function labelledStep(request: SdkRequest): SdkStep {
	const text = request.messages.map((message) => textOf(message)).join("\n");
	const batch = text.slice(text.lastIndexOf("<tool-call-batch>"));
	const labels = [...batch.matchAll(/^\[\[(\d+:[^\]\n]+)\]\] Tool:/gm)].map((match) => match[1]);
	return { text: labels.map((label) => `- [[${label}]] looked at; nothing unusual.`).join("\n") };
}

function reply(step: SdkStep): Ai.AssistantMessage {
	if (step.error) return ai.fauxAssistantMessage("", { stopReason: "error", errorMessage: step.error });
	const calls = (step.calls ?? []).map((call) =>
		ai.fauxToolCall(call.name, call.args, call.id === undefined ? {} : { id: call.id }),
	);
	const blocks = [
		...(step.thinking ? [ai.fauxThinking(step.thinking)] : []),
		...(step.text || calls.length === 0 ? [ai.fauxText(step.text ?? "")] : []),
		...calls,
	];
	return ai.fauxAssistantMessage(blocks, {
		stopReason: step.stopReason ?? (calls.length > 0 ? "toolUse" : "stop"),
	});
}

/** Text blocks of a message joined by a newline. */
export function textOf(message: Pick<AgentMessage | Message, "role"> & { content?: unknown }): string {
	const { content } = message;
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return (content as { type: string; text?: string }[])
		.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : []))
		.join("\n");
}
