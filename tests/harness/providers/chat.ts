// What OpenAI's chat completions accept.

import type { ChatBody } from "../server.ts";
import { chatProblems } from "../validator.ts";

export function completionsProblems(payload: Record<string, unknown>): string[] {
	const body = payload as unknown as ChatBody;
	const calls = body.messages.flatMap(({ tool_calls = [] }, at) => {
		const ids = tool_calls.map(({ id }) => id);
		return [
			...(new Set(ids).size < ids.length ? [`message ${at}: an id twice`] : []),
			...(tool_calls.some(({ id, function: { name } }) => !id || !name) ? [`message ${at}: a nameless call`] : []),
		];
	});
	return [...chatProblems(body), ...calls];
}
