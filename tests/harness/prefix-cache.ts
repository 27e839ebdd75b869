// A provider's prefix cache, simulated: what of a request it has seen at the start of an earlier one.

/** Tokens of a text at the rough rate everybody's estimates use. */
export function tokensOf(units: number): number {
	return Math.ceil(units / 4);
}

/** The text of a chat-completions body in the order a provider reads it: tools, then messages. */
export function promptText(body: { tools?: unknown; messages?: readonly unknown[] }): string {
	const messages = (body.messages ?? []).map((message) => JSON.stringify(message));
	return [JSON.stringify(body.tools ?? []), ...messages].join("\n");
}

export function commonPrefixLength(a: string, b: string): number {
	const end = Math.min(a.length, b.length);
	let low = 0;
	let high = end;
	// Binary search over slice equality: comparing slices is native, a loop over charCodeAt is not.
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (a.slice(low, middle) === b.slice(low, middle)) low = middle;
		else high = middle - 1;
	}
	return low;
}

export class PrefixCache {
	readonly #seen: string[] = [];

	/** Tokens of `prompt`, and how many of them an earlier prompt began with. The prompt is remembered. */
	read(prompt: string): { tokens: number; cached: number } {
		let longest = 0;
		for (const earlier of this.#seen) longest = Math.max(longest, commonPrefixLength(prompt, earlier));
		this.#seen.push(prompt);
		return { tokens: tokensOf(prompt.length), cached: Math.floor(longest / 4) };
	}
}
