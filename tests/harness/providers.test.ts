// The validators refuse what the providers refuse. A judge that takes everything would make the law tests worthless.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type * as Ai from "@earendil-works/pi-ai";
import { refusals, tornReasoning } from "./providers/judge.ts";
import { type ProviderApi, payloadOf, speakers } from "./providers/payload.ts";
import { pi } from "./sdk.ts";
import { type Block, SessionBuilder } from "./sessions.ts";

type Content = { role: string; content: { type: string }[] };

const lead: Record<ProviderApi, Block[]> = {
	"anthropic-messages": [{ type: "thinking", thinking: "hm", thinkingSignature: "c2ln" }],
	"openai-completions": [{ type: "thinking", thinking: "hm", thinkingSignature: "reasoning_content" }],
	"openai-responses": [
		{ type: "thinking", thinking: "", thinkingSignature: '{"type":"reasoning","id":"rs_1","summary":[]}' },
	],
	"google-generative-ai": [{ type: "thinking", thinking: "hm" }],
};

/** A prompt and two calls at once, both answered. */
function messagesFor(api: ProviderApi): Ai.Message[] {
	const session = new SessionBuilder();
	session.user("Look.");
	const call = (n: number) => ({
		name: "read",
		id: `c${n}|fc_${n}`.slice(0, api === "openai-responses" ? 9 : 2),
		result: "x",
	});
	session.toolTurn([{ ...call(1), thoughtSignature: "c2ln" }, call(2)], lead[api], { fields: { ...speakers[api] } });
	const entries = session.entries as unknown as Parameters<typeof pi.buildSessionProjection>[0];
	return pi.convertToLlm(pi.buildSessionProjection(entries).messages);
}

const without = (messages: readonly Ai.Message[], ...at: number[]) => messages.filter((_, n) => !at.includes(n));

for (const api of Object.keys(speakers) as ProviderApi[])
	describe(api, () => {
		const whole = messagesFor(api);
		const judged = async (messages: readonly Ai.Message[]) => refusals(api, await payloadOf(api, messages));

		it("takes what is right", async () => {
			assert.deepEqual(await judged(whole), []);
			const payload = await payloadOf(api, whole);
			assert.deepEqual(tornReasoning(api, payload, payload), []);
		});

		it("refuses results without a call, twice, and behind a message of somebody else", async () => {
			assert.notDeepEqual(await judged(without(whole, 1)), []);
			assert.notDeepEqual(await judged([...whole, whole[2] as Ai.Message]), []);
			const [prompt, ...rest] = whole as [Ai.Message, ...Ai.Message[]];
			// pi answers the second call itself there, and the true result comes too late.
			assert.notDeepEqual(await judged([prompt, ...rest.slice(0, 2), prompt, ...rest.slice(2)]), []);
		});

		it("refuses a call without a result", async () => {
			const payload = await payloadOf(api, whole);
			const [key = ""] = ["messages", "input", "contents"].filter((each) => each in payload);
			const list = payload[key] as unknown[];
			assert.notDeepEqual(refusals(api, { ...payload, [key]: list.slice(0, -1) }), []);
		});

		if (api === "openai-completions") return;
		it("knows torn reasoning", async () => {
			const bare = structuredClone(whole);
			for (const message of bare)
				if (message.role === "assistant") {
					message.content = message.content.filter(({ type }) => type !== "thinking");
					for (const block of message.content) if (block.type === "toolCall") delete block.thoughtSignature;
				}
			const [payload, alone] = [await payloadOf(api, bare), await payloadOf(api, whole)];
			assert.notDeepEqual(tornReasoning(api, payload, alone), []);
		});
	});

describe("refused by one of them", () => {
	it("thinking without its signature, at the end, or an empty text (Anthropic)", async () => {
		const payload = await payloadOf("anthropic-messages", messagesFor("anthropic-messages"));
		const spoilt = (change: (blocks: Record<string, unknown>[]) => void) => {
			const copy = structuredClone(payload);
			change((copy.messages as Content[])[1]?.content as never);
			return refusals("anthropic-messages", copy);
		};
		assert.notDeepEqual(
			spoilt((blocks) => delete blocks[0]?.signature),
			[],
		);
		assert.notDeepEqual(
			spoilt((blocks) => blocks.push({ type: "text", text: " " })),
			[],
		);
		assert.notDeepEqual(
			spoilt((blocks) => blocks.push(blocks[0] as never)),
			[],
		);
	});

	it("reasoning without what follows it (Responses)", async () => {
		const payload = await payloadOf("openai-responses", messagesFor("openai-responses"));
		const input = payload.input as { type?: string }[];
		const bare = input.filter(({ type }) => type !== "function_call" && type !== "function_call_output");
		assert.match(refusals("openai-responses", { ...payload, input: bare }).join(), /without the item that follows/);
	});
});
