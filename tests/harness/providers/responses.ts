// What OpenAI's Responses API accepts, from its documentation and its refusals.

interface Item {
	type?: string;
	role?: string;
	id?: string;
	call_id?: string;
	name?: string;
	arguments?: string;
	content?: string | { text?: string; image_url?: string }[];
	encrypted_content?: string;
}

const itemsOf = (payload: Record<string, unknown>) => payload.input as Item[];

/** Whether an item can be what a reasoning item belongs to. */
const isOutput = ({ type, role }: Item) =>
	type === "function_call" || (type === "message" && role === "assistant") || type === "reasoning";

function itemProblems(item: Item, at: number): string[] {
	if (item.type === "function_call") {
		const problems = item.call_id && item.name ? [] : [`item ${at}: a nameless call`];
		try {
			JSON.parse(item.arguments ?? "");
		} catch {
			problems.push(`item ${at}: arguments are not JSON`);
		}
		return problems;
	}
	if (item.type === "function_call_output" || item.type === "reasoning") return [];
	const roles = ["user", "assistant", "system", "developer"];
	if (!roles.includes(item.role ?? "")) return [`item ${at}: role ${item.role}, type ${item.type}`];
	return (item.content ?? "").length === 0 ? [`item ${at}: empty`] : [];
}

function pairProblems(items: readonly Item[]): string[] {
	const problems: string[] = [];
	let open: (string | undefined)[] = [];
	let answering = false;
	const close = (at: number) => {
		for (const id of open) problems.push(`item ${at}: no output for call ${id} before it`);
		open = [];
		answering = false;
	};
	for (const [at, item] of items.entries()) {
		if (item.type === "function_call_output") {
			const place = open.indexOf(item.call_id);
			if (place < 0) problems.push(`item ${at}: output for ${item.call_id} without its call`);
			else open.splice(place, 1);
			answering = true;
		} else if (item.type === "function_call") {
			if (answering) close(at);
			if (open.includes(item.call_id)) problems.push(`item ${at}: the call id ${item.call_id} twice`);
			open.push(item.call_id);
		} else if (item.role === "user" || answering) close(at);
	}
	close(items.length);
	return problems;
}

/** Each reasoning item stands right before something the assistant said or called. */
function reasoningProblems(items: readonly Item[]): string[] {
	return items.flatMap((item, at) => {
		const next = items[at + 1];
		return item.type === "reasoning" && !(next && isOutput(next))
			? [`item ${at}: reasoning ${item.id} without the item that follows it`]
			: [];
	});
}

export function responsesProblems(payload: Record<string, unknown>): string[] {
	const items = itemsOf(payload);
	const ids = items.flatMap(({ id }) => (id ? [id] : []));
	return [
		...items.flatMap(itemProblems),
		...pairProblems(items),
		...reasoningProblems(items),
		...ids.filter((id, at) => ids.indexOf(id) < at).map((id) => `the item id ${id} twice`),
	];
}

/** For each item of an id of its own, the reasoning it came with: the API remembers that, and wants both or neither. */
function partners(payload: Record<string, unknown>): Map<string, string> {
	const found = new Map<string, string>();
	let reasoning: string | undefined;
	for (const item of itemsOf(payload)) {
		if (item.type === "reasoning") reasoning = item.id;
		else if (!isOutput(item)) reasoning = undefined;
		else if (reasoning && item.id && !item.id.startsWith("msg_pi_")) found.set(item.id, reasoning);
	}
	return found;
}

/** Items of `payload` that came with reasoning (as pi alone would send them, `whole`) and stand without it. */
export function partedItems(payload: Record<string, unknown>, whole: Record<string, unknown>): string[] {
	const [now, before] = [partners(payload), partners(whole)];
	const here = new Set(itemsOf(payload).flatMap(({ id }) => (id ? [id] : [])));
	return [...before].flatMap(([id, reasoning]) =>
		here.has(id) && now.get(id) !== reasoning ? [`${id} stands without its reasoning ${reasoning}`] : [],
	);
}
