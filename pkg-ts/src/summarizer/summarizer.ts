import { randomUUID } from "node:crypto";
import type { Api, Model } from "@earendil-works/pi-ai";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Config, Summary } from "../boundary.ts";
import { callModel } from "./call.ts";
import { type CallFailure, sumUsage } from "./judge.ts";
import { chooseModel, modelName } from "./model.ts";
import { OutageController, type OutageNotice } from "./outage.ts";

/** What the summarizer needs of pi's context. */
export type SummarizerContext = Pick<ExtensionContext, "model" | "modelRegistry">;

/** A summary, and the model that wrote it. */
export interface Summarized extends Summary {
	model: string;
}

/** What the summarizer works with. */
export interface SummarizerParts {
	config: () => Config;
	/** A line for the user. */
	tell: (line: string, level: "info" | "warning") => void;
	/** ms, from any one start; never goes back. */
	now?: () => number;
}

/**
 * Turns a batch's prompt into a summary with the configured model, or with the session's where that one is down.
 *
 * One instance a session: the place where an outage is remembered.
 */
export class Summarizer {
	readonly #parts: SummarizerParts;
	readonly #outage = new OutageController();
	readonly #routingId = randomUUID();
	#warned: string | undefined;
	/** The newest reason for a fallback, for a warning that comes late. */
	#reason = "";

	constructor(parts: SummarizerParts) {
		this.#parts = parts;
	}

	/** Forgets outages; for `session_start` only, since a provider is as dead on another branch. */
	reset(): void {
		this.#outage.reset();
	}

	/** Never rejects for what a provider does: what went wrong is in the failure, with what it cost. */
	async summarize(
		prompt: string,
		ctx: SummarizerContext,
		signal: AbortSignal,
		onText?: (units: number) => void,
	): Promise<Summarized | CallFailure> {
		const { model, warning } = chooseModel(this.#parts.config().summarizerModel, ctx);
		if (warning && this.#warned !== warning) {
			this.#warned = warning;
			this.#parts.tell(warning, "warning");
		}
		if (!model) return { kind: "auth", message: "no model is selected; choose one with /model" };
		const call = (asked: Model<Api>) => this.#call(asked, prompt, ctx, signal, onText);
		const substitute = ctx.model;
		return !substitute || modelName(substitute) === modelName(model)
			? call(model)
			: this.#withSubstitute(model, substitute, call);
	}

	/** The table of condense.md section 15. */
	async #withSubstitute(
		model: Model<Api>,
		substitute: Model<Api>,
		call: (asked: Model<Api>) => Promise<Summarized | CallFailure>,
	): Promise<Summarized | CallFailure> {
		const names = { model: modelName(model), substitute: modelName(substitute) };
		const target = this.#outage.target(this.#now());
		const first = await call(target === "session" ? substitute : model);
		if (!("kind" in first)) {
			this.#notify(this.#outage.succeeded(target), names);
			return first;
		}
		if (first.kind !== "transient" || target === "session") return first;
		const second = await call(substitute);
		const usage = sumUsage(first.usage, second.usage);
		const paid = usage ? { usage } : {};
		if (!("kind" in second)) {
			this.#reason = first.message;
			this.#notify(this.#outage.primaryFailed(this.#now(), true), names);
			return { ...second, ...paid };
		}
		if (second.kind === "aborted") return { ...second, ...paid };
		this.#reason = first.message;
		this.#notify(this.#outage.primaryFailed(this.#now(), false), names);
		return { ...second, message: `${first.message}; ${second.message}`, ...paid };
	}

	async #call(
		model: Model<Api>,
		prompt: string,
		ctx: SummarizerContext,
		signal: AbortSignal,
		onText?: (units: number) => void,
	): Promise<Summarized | CallFailure> {
		const config = this.#parts.config();
		const answer = await callModel(ctx.modelRegistry, {
			model,
			prompt,
			thinking: config.summarizerThinking,
			limits: { idleMs: config.summarizerIdleTimeoutMs, maxMs: config.summarizerMaxTimeoutMs },
			routingId: this.#routingId,
			signal,
			...(onText ? { onText } : {}),
		});
		return "kind" in answer ? answer : { ...answer, model: modelName(model) };
	}

	#notify(notice: OutageNotice | undefined, names: { model: string; substitute: string }): void {
		if (notice === "entered") {
			this.#parts.tell(
				`pi-decant: the summarizer is down (${this.#reason}). ${names.substitute} summarizes until ${names.model} is back, which is tried every 10 minutes; /pruner model chooses another.`,
				"warning",
			);
		} else if (notice === "recovered") {
			this.#parts.tell(`pi-decant: the summarizer ${names.model} is back.`, "info");
		}
	}

	#now(): number {
		return this.#parts.now?.() ?? performance.now();
	}
}
