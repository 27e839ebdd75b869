// What Anthropic's Messages API accepts, from its documentation and its refusals.

interface Block {
	type: string;
	id?: string;
	name?: string;
	input?: unknown;
	text?: string;
	tool_use_id?: string;
	content?: string | Block[];
	signature?: string;
	data?: string;
	source?: { data?: string };
	is_error?: boolean;
}

interface Turn {
	role: string;
	content: Block[];
	/** Where it began in the payload. */
	at: number;
}

/** Neighbours of one role count as one turn, as the API takes them. */
function turnsOf(payload: Record<string, unknown>): Turn[] {
	const turns: Turn[] = [];
	for (const [at, { role, content }] of (payload.messages as { role: string; content: string | Block[] }[]).entries()) {
		const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
		const last = turns.at(-1);
		if (last?.role === role) last.content.push(...blocks);
		else turns.push({ role, content: [...blocks], at });
	}
	return turns;
}

const isThinking = ({ type }: Block) => type === "thinking" || type === "redacted_thinking";

function blockProblems(block: Block, where: string): string[] {
	switch (block.type) {
		case "text":
			return block.text?.trim() ? [] : [`${where}: an empty text block`];
		case "thinking":
			return block.signature ? [] : [`${where}: thinking without a signature`];
		case "redacted_thinking":
			return block.data ? [] : [`${where}: redacted thinking without data`];
		case "image":
			return block.source?.data ? [] : [`${where}: an empty image`];
		case "tool_use":
			return [
				...(/^[a-zA-Z0-9_-]+$/.test(block.id ?? "") ? [] : [`${where}: the id ${block.id}`]),
				...(block.name ? [] : [`${where}: a call without a name`]),
				...(typeof block.input === "object" && block.input !== null ? [] : [`${where}: input is no object`]),
			];
		case "tool_result": {
			const inner = Array.isArray(block.content) ? block.content : [];
			const image = block.is_error && inner.some(({ type }) => type === "image");
			return [
				...inner.flatMap((each) => blockProblems(each, `${where} in a result`)),
				...(image ? [`${where}: an image in an error result`] : []),
			];
		}
		default:
			return [];
	}
}

function pairProblems(turns: readonly Turn[], nth: number): string[] {
	const { role, content, at } = turns[nth] as Turn;
	const problems: string[] = [];
	if (role !== "assistant") {
		const calls = turns[nth - 1]?.content.flatMap(({ type, id }) => (type === "tool_use" ? [id] : [])) ?? [];
		const leading = content.findIndex(({ type }) => type !== "tool_result");
		const results = leading < 0 ? content : content.slice(0, leading);
		for (const { tool_use_id } of results) {
			const place = calls.indexOf(tool_use_id);
			if (place < 0) problems.push(`message ${at}: result ${tool_use_id} without its call`);
			else calls.splice(place, 1);
		}
		for (const id of calls) problems.push(`message ${at}: call ${id} before it has no result`);
		if (content.slice(results.length).some(({ type }) => type === "tool_result"))
			problems.push(`message ${at}: a result behind other blocks`);
		return problems;
	}
	const ids = content.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
	if (new Set(ids).size < ids.length) problems.push(`message ${at}: an id twice`);
	if (ids.length > 0 && !turns[nth + 1]) problems.push(`message ${at}: calls at the end without results`);
	if (content.some(({ type }) => type === "tool_result")) problems.push(`message ${at}: a result of the assistant`);
	const last = content.at(-1);
	if (last && isThinking(last)) problems.push(`message ${at}: ends with thinking`);
	return problems;
}

export function anthropicProblems(payload: Record<string, unknown>): string[] {
	const turns = turnsOf(payload);
	const problems = turns[0]?.role === "user" ? [] : ["the first message is not the user's"];
	for (const [nth, { role, content, at }] of turns.entries()) {
		if (role !== "user" && role !== "assistant") problems.push(`message ${at}: role ${role}`);
		if (content.length === 0) problems.push(`message ${at}: empty`);
		problems.push(...content.flatMap((block, k) => blockProblems(block, `message ${at} block ${k}`)));
		problems.push(...pairProblems(turns, nth));
	}
	return problems;
}

/** The thinking of the tool cycle that is under way: the API wants it back as it was, whole. */
export function openAnthropicThinking(payload: Record<string, unknown>): string[] {
	const messages = payload.messages as { role: string; content: string | Block[] }[];
	// Images of a failed result stand behind it, in the same message.
	const said = ({ role, content }: (typeof messages)[number]) =>
		role === "user" && (typeof content === "string" || content[0]?.type !== "tool_result");
	const open = messages.slice(messages.findLastIndex(said) + 1);
	return open.flatMap(({ content }) =>
		typeof content === "string" ? [] : content.filter(isThinking).map((block) => JSON.stringify(block)),
	);
}
