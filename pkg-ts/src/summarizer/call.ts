import type { Api, AssistantMessage, AssistantMessageEventStream, Context, Model } from "@earendil-works/pi-ai";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Summary } from "../boundary.ts";

/** The way to a model, with its auth resolved at each request as for the main loop. */
export type ModelCalls = Pick<ExtensionContext["modelRegistry"], "streamSimple">;

/** Why a call gave no summary. Only `transient` failures say something about the provider's health. */
export interface CallFailure {
	kind: "transient" | "unusable" | "aborted";
	message: string;
}

export interface CallLimits {
	/** Ends the call when nothing arrived for this long, in ms; 0 = never. */
	idleMs: number;
	/** Ends the call after this long in any case, in ms; 0 = never. */
	maxMs: number;
}

type Thinking = NonNullable<Parameters<ModelCalls["streamSimple"]>[2]>["reasoning"];

/**
 * One summarizer call: the prompt as a single user message, no system prompt, no tools, nothing cached.
 *
 * Streams so that silence can be told from slowness: every event, thinking included, restarts the idle clock.
 */
export async function callModel(
	calls: ModelCalls,
	model: Model<Api>,
	prompt: string,
	thinking: string,
	limits: CallLimits,
	signal: AbortSignal,
): Promise<Summary | CallFailure> {
	const name = `${model.provider}/${model.id}`;
	const watchdog = new Watchdog(limits, name);
	const stop = AbortSignal.any([signal, watchdog.signal]);
	try {
		const context: Context = {
			messages: [{ role: "user", content: [{ type: "text", text: prompt }], timestamp: Date.now() }],
		};
		const stream = calls.streamSimple(model, context, {
			signal: stop,
			cacheRetention: "none",
			disableContinuation: true,
			...(thinking === "default" || thinking === "off" ? {} : { reasoning: thinking as Thinking }),
		});
		const message = await Promise.race([finish(stream, watchdog), aborted(stop)]);
		if (!message) return stopped(watchdog, signal);
		if (message.stopReason === "aborted") return stopped(watchdog, signal);
		return judge(message, name);
	} catch (error) {
		if (stop.aborted) return stopped(watchdog, signal);
		return { kind: "transient", message: `${name}: ${error instanceof Error ? error.message : String(error)}` };
	} finally {
		watchdog.end();
	}
}

async function finish(stream: AssistantMessageEventStream, watchdog: Watchdog): Promise<AssistantMessage> {
	for await (const _event of stream) watchdog.sign();
	return stream.result();
}

/** A provider that does not react to its signal must not hold the flush. */
function aborted(signal: AbortSignal): Promise<undefined> {
	return new Promise((resolve) => {
		if (signal.aborted) resolve(undefined);
		else signal.addEventListener("abort", () => resolve(undefined), { once: true });
	});
}

function stopped(watchdog: Watchdog, signal: AbortSignal): CallFailure {
	if (signal.aborted) return { kind: "aborted", message: "aborted" };
	return { kind: "transient", message: watchdog.verdict ?? "aborted" };
}

/** Takes a summary only if it is whole: text, nothing but text, and not cut by the output limit. */
function judge(message: AssistantMessage, name: string): Summary | CallFailure {
	if (message.stopReason === "error") {
		return { kind: "transient", message: `${name}: ${message.errorMessage ?? "the provider reported an error"}` };
	}
	if (message.stopReason === "length") {
		return { kind: "unusable", message: `${name}: the summary was cut off by the model's output limit` };
	}
	if (message.content.some((block) => block.type === "toolCall")) {
		return { kind: "unusable", message: `${name}: called a tool instead of summarizing` };
	}
	const text = message.content
		.flatMap((block) => (block.type === "text" ? [block.text] : []))
		.join("")
		.trim();
	if (text === "") return { kind: "unusable", message: `${name}: returned an empty summary` };
	const { input, output, cacheRead, cacheWrite, cost } = message.usage;
	return { text, usage: { input: input + cacheRead + cacheWrite, output, cost: cost.total } };
}

/** Aborts a call that is silent for too long or takes too long altogether. */
class Watchdog {
	readonly #controller = new AbortController();
	readonly #limits: CallLimits;
	readonly #name: string;
	#idle: NodeJS.Timeout | undefined;
	readonly #ceiling: NodeJS.Timeout | undefined;
	verdict: string | undefined;

	constructor(limits: CallLimits, name: string) {
		this.#limits = limits;
		this.#name = name;
		if (limits.maxMs > 0) {
			const line = `${name} exceeded the ${limits.maxMs / 1000} s ceiling`;
			this.#ceiling = setTimeout(() => this.#bark(line), limits.maxMs);
		}
		this.sign();
	}

	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	/** A sign of life. */
	sign(): void {
		clearTimeout(this.#idle);
		if (this.#limits.idleMs <= 0) return;
		const line = `${this.#name} stalled (no output for ${this.#limits.idleMs / 1000} s)`;
		this.#idle = setTimeout(() => this.#bark(line), this.#limits.idleMs);
	}

	end(): void {
		clearTimeout(this.#idle);
		clearTimeout(this.#ceiling);
	}

	#bark(verdict: string): void {
		this.verdict = verdict;
		this.#controller.abort();
	}
}
