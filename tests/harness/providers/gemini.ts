// What Gemini accepts, from its documentation and its refusals.

interface Part {
	text?: string;
	thought?: boolean;
	thoughtSignature?: string;
	inlineData?: { data?: string };
	functionCall?: { id?: string; name?: string; args?: unknown };
	functionResponse?: { id?: string; name?: string; response?: unknown };
}

interface Turn {
	role: string;
	parts: Part[];
	at: number;
}

/** Neighbours of one role count as one turn. */
function turnsOf(payload: Record<string, unknown>): Turn[] {
	const turns: Turn[] = [];
	for (const [at, { role, parts }] of (payload.contents as { role: string; parts: Part[] }[]).entries()) {
		const last = turns.at(-1);
		if (last?.role === role) last.parts.push(...parts);
		else turns.push({ role, parts: [...parts], at });
	}
	return turns;
}

const nameOf = (call: { id?: string; name?: string } | undefined) => `${call?.name} ${call?.id ?? ""}`;

export function geminiProblems(payload: Record<string, unknown>): string[] {
	const turns = turnsOf(payload);
	const problems = turns[0]?.role === "user" ? [] : ["the first turn is not the user's"];
	for (const [nth, { role, parts, at }] of turns.entries()) {
		const where = `content ${at} (${role})`;
		if (role !== "user" && role !== "model") problems.push(`${where}: unknown role`);
		if (parts.length === 0) problems.push(`${where}: empty`);
		for (const part of parts)
			if (Object.keys(part).every((key) => key === "thoughtSignature" || key === "thought"))
				problems.push(`${where}: a part of nothing`);
		if (role === "model") {
			if (parts.some(({ functionResponse }) => functionResponse)) problems.push(`${where}: a response of the model`);
			if (parts.some(({ functionCall }) => functionCall) && !turns[nth + 1])
				problems.push(`${where}: calls at the end without responses`);
			continue;
		}
		const calls =
			turns[nth - 1]?.parts.flatMap(({ functionCall }) => (functionCall ? [nameOf(functionCall)] : [])) ?? [];
		const given = parts.flatMap(({ functionResponse }) => (functionResponse ? [nameOf(functionResponse)] : []));
		if (calls.sort().join() !== given.sort().join())
			problems.push(`${where}: responses [${given}] for the calls [${calls}]`);
	}
	return problems;
}

/** The signatures of the turn under way, which the API wants back as they were. */
export function openGeminiSignatures(payload: Record<string, unknown>): string[] {
	const turns = turnsOf(payload);
	const said = ({ role, parts }: Turn) => role === "user" && parts.some(({ functionResponse }) => !functionResponse);
	const open = turns.slice(turns.findLastIndex(said) + 1);
	return open.flatMap(({ parts }) => parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []));
}
