// One question for four providers: would they take this request?

import { anthropicProblems, openAnthropicThinking } from "./anthropic.ts";
import { completionsProblems } from "./chat.ts";
import { geminiProblems, openGeminiSignatures } from "./gemini.ts";
import type { ProviderApi } from "./payload.ts";
import { partedItems, responsesProblems } from "./responses.ts";

type Payload = Record<string, unknown>;

const judges: Record<ProviderApi, (payload: Payload) => string[]> = {
	"anthropic-messages": anthropicProblems,
	"openai-completions": completionsProblems,
	"openai-responses": responsesProblems,
	"google-generative-ai": geminiProblems,
};

/** Why the provider would refuse the payload; empty where it would not. */
export function refusals(api: ProviderApi, payload: Payload): string[] {
	return judges[api](payload);
}

/** What of the reasoning the provider remembers is torn, beside what pi alone would send. */
export function tornReasoning(api: ProviderApi, payload: Payload, whole: Payload): string[] {
	if (api === "openai-responses") return partedItems(payload, whole);
	if (api === "openai-completions") return [];
	const open = api === "anthropic-messages" ? openAnthropicThinking : openGeminiSignatures;
	const [ours, theirs] = [open(payload), open(whole)];
	// Where the older part of the cycle became a block, its newest turns are the cycle.
	const suffix = theirs.slice(theirs.length - ours.length);
	const shortened = ours.length < theirs.length && !JSON.stringify(payload).includes("<compressed-chain ");
	return shortened || JSON.stringify(ours) !== JSON.stringify(suffix)
		? [`the thinking of the open cycle changed: ${ours.length} of ${theirs.length}`]
		: [];
}
