import type { Api, AssistantMessage, Context, Model, Usage } from "@earendil-works/pi-ai";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Summary } from "../boundary.ts";
import { type CallFailure, firstLine, judge, usageOf } from "./judge.ts";
import { type CallLimits, Watchdog } from "./watchdog.ts";

/** The way to a model, with its auth and endpoint resolved at each request as for the main loop. */
export type ModelCalls = Pick<ExtensionContext["modelRegistry"], "streamSimple">;

type StreamOptions = NonNullable<Parameters<ModelCalls["streamSimple"]>[2]>;

/** One summarizer call. */
export interface ModelCall {
	model: Model<Api>;
	/** The whole prompt, as the core built it. */
	prompt: string;
	/** A thinking level; `default` leaves it to pi, `off` asks for none. */
	thinking: string;
	limits: CallLimits;
	/** Routes the call for providers that want a session named; nothing is cached under it. */
	routingId: string;
	signal: AbortSignal;
	/** UTF-16 units of the answer so far. */
	onText?: (units: number) => void;
}

/**
 * Makes a call: the prompt as a single user message, no system prompt, no tools, nothing cached.
 *
 * Streams so that silence can be told from slowness: every event, thinking included, restarts the idle clock. Both
 * clocks run from before the credentials are looked up. Never rejects.
 */
export async function callModel(calls: ModelCalls, call: ModelCall): Promise<Summary | CallFailure> {
	const { model, signal } = call;
	const name = `${model.provider}/${model.id}`;
	const watchdog = new Watchdog(call.limits, name);
	const stop = AbortSignal.any([signal, watchdog.signal]);
	const heard = new Heard(watchdog, call.onText);
	try {
		const stream = calls.streamSimple(model, contextOf(call.prompt), optionsOf(call, stop));
		const message = await Promise.race([heard.out(stream), aborted(stop)]);
		if (!message || stop.aborted) return stopped(name, watchdog, signal, heard.usage);
		const judged = judge(message, name);
		return "kind" in judged && !judged.usage ? { ...judged, ...usageField(heard.usage) } : judged;
	} catch (error) {
		if (stop.aborted) return stopped(name, watchdog, signal, heard.usage);
		const why = firstLine(error instanceof Error ? error.message : String(error));
		return { kind: "transient", message: `${name} failed: ${why}`, ...usageField(heard.usage) };
	} finally {
		watchdog.end();
	}
}

function contextOf(prompt: string): Context {
	return { messages: [{ role: "user", content: [{ type: "text", text: prompt }], timestamp: Date.now() }] };
}

function optionsOf({ thinking, routingId }: ModelCall, signal: AbortSignal): StreamOptions {
	return {
		signal,
		cacheRetention: "none",
		// The main conversation's server-side state is not ours to replace.
		disableContinuation: true,
		sessionId: routingId,
		...(thinking === "default" || thinking === "off" ? {} : { reasoning: thinking as StreamOptions["reasoning"] }),
	};
}

/** What came of a stream so far. */
class Heard {
	readonly #watchdog: Watchdog;
	readonly #onText: ((units: number) => void) | undefined;
	#units = 0;
	/** What the provider has said of the cost: a call that is cut off was paid for up to there. */
	usage: Usage | undefined;

	constructor(watchdog: Watchdog, onText: ((units: number) => void) | undefined) {
		this.#watchdog = watchdog;
		this.#onText = onText;
	}

	/** Listens to the end. */
	async out(stream: ReturnType<ModelCalls["streamSimple"]>): Promise<AssistantMessage> {
		for await (const event of stream) {
			this.#watchdog.sign();
			if ("partial" in event) this.usage = event.partial.usage;
			if (event.type !== "text_delta") continue;
			this.#units += event.delta.length;
			this.#onText?.(this.#units);
		}
		return stream.result();
	}
}

/** A provider that does not react to its signal must not hold the flush. */
function aborted(signal: AbortSignal): Promise<undefined> {
	return new Promise((resolve) => {
		if (signal.aborted) resolve(undefined);
		else signal.addEventListener("abort", () => resolve(undefined), { once: true });
	});
}

function stopped(name: string, watchdog: Watchdog, signal: AbortSignal, usage: Usage | undefined): CallFailure {
	if (signal.aborted) return { kind: "aborted", message: `${name} was aborted`, ...usageField(usage) };
	return { kind: "transient", message: watchdog.verdict ?? `${name} was aborted`, ...usageField(usage) };
}

function usageField(usage: Usage | undefined): Pick<CallFailure, "usage"> {
	const known = usageOf(usage);
	return known ? { usage: known } : {};
}
