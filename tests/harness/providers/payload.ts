// What pi would post to a provider for a list of messages: pi's own conversion, stopped before anything is sent.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Ai from "@earendil-works/pi-ai";
import { piAiDir } from "../paths.ts";
import type { Speaker } from "../thinking.ts";

export type ProviderApi = "anthropic-messages" | "openai-completions" | "openai-responses" | "google-generative-ai";

/** One model of each; what they say in a session carries these names. */
export const speakers: Record<ProviderApi, Speaker> = {
	"anthropic-messages": { api: "anthropic-messages", provider: "anthropic", model: "claude-opus-4-5" },
	"openai-completions": { api: "openai-completions", provider: "groq", model: "some-chat-model" },
	"openai-responses": { api: "openai-responses", provider: "openai", model: "gpt-5" },
	"google-generative-ai": { api: "google-generative-ai", provider: "google", model: "gemini-3-pro-preview" },
};

interface Converter {
	stream(model: object, context: object, options: object): { result(): Promise<{ errorMessage?: string }> };
}

const converters = new Map<ProviderApi, Converter>();

async function converterOf(api: ProviderApi): Promise<Converter> {
	const known = converters.get(api);
	if (known) return known;
	const made = (await import(pathToFileURL(join(piAiDir, "dist", "api", `${api}.js`)).href)) as Converter;
	converters.set(api, made);
	return made;
}

const tools = [{ name: "read", description: "Reads a file", parameters: { type: "object", properties: {} } }];

/** Throws where pi itself cannot convert the list. */
export async function payloadOf(api: ProviderApi, messages: readonly Ai.Message[]): Promise<Record<string, unknown>> {
	const { provider, model } = speakers[api];
	const target = {
		id: model,
		name: model,
		api,
		provider,
		baseUrl: "http://127.0.0.1:9",
		reasoning: true,
		input: ["text", "image"],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		contextWindow: 200_000,
		maxTokens: 8_000,
	};
	let payload: Record<string, unknown> | undefined;
	const { stream } = await converterOf(api);
	const answer = await stream(
		target,
		// The conversion may change what it is given.
		{ systemPrompt: "You are an agent.", messages: structuredClone(messages), tools },
		{
			apiKey: "sk-not-a-key",
			maxRetries: 0,
			onPayload: (params: Record<string, unknown>) => {
				payload = structuredClone(params);
				throw new Error("stop");
			},
		},
	).result();
	if (!payload) throw new Error(`pi cannot convert this for ${api}: ${answer.errorMessage}`);
	return payload;
}
