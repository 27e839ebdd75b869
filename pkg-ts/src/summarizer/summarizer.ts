import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Config, Summary } from "../boundary.ts";
import { type CallFailure, callModel } from "./call.ts";
import { chooseModel } from "./model.ts";

/** What the summarizer needs of pi's context. */
export type SummarizerContext = Pick<ExtensionContext, "model" | "modelRegistry">;

/**
 * Turns a batch's prompt into a summary with the configured model.
 *
 * One instance a session: the place where an outage of the summarizer's provider will be remembered.
 */
export class Summarizer {
	readonly #config: () => Config;
	readonly #warn: (line: string) => void;
	#warned: string | undefined;

	constructor(config: () => Config, warn: (line: string) => void) {
		this.#config = config;
		this.#warn = warn;
	}

	/** Never rejects: what went wrong is in the failure. */
	async summarize(prompt: string, ctx: SummarizerContext, signal: AbortSignal): Promise<Summary | CallFailure> {
		const config = this.#config();
		const { model, warning } = chooseModel(config.summarizerModel, ctx);
		if (warning && this.#warned !== warning) {
			this.#warned = warning;
			this.#warn(warning);
		}
		if (!model) return { kind: "unusable", message: "no model is selected; choose one with /model" };
		const limits = { idleMs: config.summarizerIdleTimeoutMs, maxMs: config.summarizerMaxTimeoutMs };
		return callModel(ctx.modelRegistry, model, prompt, config.summarizerThinking, limits, signal);
	}
}
