// What pi-decant did to a list, judged from outside: by the texts of the specification, never by its own code.

import assert from "node:assert/strict";
import { type BlockText, blockOf, isSummary, type Purge, protectedText, purgeOf, type Stub, stubOf } from "./marks.ts";
import { chatPart, type Part, type PiMessage, piPart } from "./parts.ts";
import { type ChatBody, type ChatMessage, textOf } from "./server.ts";
import { sharedMessages } from "./validator.ts";

/** A chain that is shown as one text. */
export interface ShownBlock extends BlockText {
	/** Its place in the pruned list. */
	at: number;
	/** What it hides, as it stood in the whole list. */
	hidden: Part[];
	/** Those of the hidden results that stand in it word for word. */
	relocated: Part[];
}

/** Arguments that became a mark. */
export interface ShownPurge extends Purge {
	at: number;
	/** Which of the message's calls. */
	call: number;
	/** The arguments, as JSON. */
	original: string;
}

export interface Difference {
	/** Results that became stubs: the call, its ref, the text that stood there. */
	stubbed: { at: number; callId: string; stub: Stub; ref: string; original: string; images: string[] }[];
	/** Summaries: standing as messages of their own, or in the stub of the last result. */
	summaries: { at: number; text: string }[];
	/** Results that answered no call and were left out, by their place in the whole list. */
	swept: number[];
	blocks: ShownBlock[];
	purged: ShownPurge[];
	/** Assistant messages without the thinking they had, by their place in the whole list. */
	unthinking: number[];
}

/** Places of results that answer no call right before them: no provider takes them, so they may go (law 3). */
function orphans(parts: readonly Part[]): Set<number> {
	const found = new Set<number>();
	let open: string[] = [];
	for (const [at, part] of parts.entries()) {
		if (part.callId === undefined) {
			if (part.role !== "system") open = part.failed ? [] : part.calls.map(({ id }) => id);
			continue;
		}
		const place = open.indexOf(part.callId);
		if (place >= 0) open.splice(place, 1);
		else found.add(at);
	}
	return found;
}

const cut = (id: string) => id.split("|", 1)[0] ?? "";

/** Walks both lists at once and explains the one by the other. */
class Comparison {
	readonly difference: Difference = { stubbed: [], summaries: [], swept: [], blocks: [], purged: [], unthinking: [] };
	readonly #whole: readonly Part[];
	readonly #pruned: readonly Part[];
	readonly #what: string;
	readonly #sweepable: Set<number>;
	/** The next message of the whole list. */
	#at = 0;
	/** The block that may still hide. */
	#block: ShownBlock | undefined;

	constructor(whole: readonly Part[], pruned: readonly Part[], what: string) {
		this.#whole = whole;
		this.#pruned = pruned;
		this.#what = what;
		this.#sweepable = orphans(whole);
	}

	run(): Difference {
		for (const [place, part] of this.#pruned.entries()) {
			const ours = part.role === "user" && (isSummary(part.text) || blockOf(part.text) !== undefined);
			if (!ours) while (!this.#fits(place, part) && this.#passOver());
			const before = this.#whole[this.#at];
			if (before && this.#fits(place, part)) this.#shown(place, part, before);
			else this.#added(place, part, before);
		}
		while (this.#passOver());
		const left = this.#whole.length - this.#at;
		assert.equal(left, 0, `${this.#what}: ${left} messages vanished`);
		this.#judge();
		return this.difference;
	}

	/** The next message of the whole list is not shown, and may be. */
	#passOver(): boolean {
		const part = this.#whole[this.#at];
		if (!part) return false;
		const working = part.calls.length > 0 || part.callId !== undefined || part.failed;
		// The original's summaries are messages; they go with what they speak of.
		const hideable = working || (part.role === "user" && isSummary(part.text));
		if (this.#block && hideable) {
			if (!this.#sweepable.has(this.#at)) this.#block.hidden.push(part);
		} else if (this.#sweepable.has(this.#at)) this.difference.swept.push(this.#at);
		else return false;
		this.#at++;
		return true;
	}

	/** Whether `part` is what the next message of the whole list has become. */
	#fits(place: number, part: Part): boolean {
		const before = this.#whole[this.#at];
		if (!before || before.role !== part.role) return false;
		// The first message takes the time of the last rewrite.
		if (place > 0 && before.time !== part.time) return false;
		if (before.raw === part.raw) return true;
		if (before.callId !== undefined)
			return this.#sameId(before.callId, part.callId ?? "") && this.#resultFits(before, part);
		return before.role === "assistant" && this.#assistantFits(before, part);
	}

	#resultFits(before: Part, part: Part): boolean {
		if (stubOf(part.text)) return true;
		// A summary stands behind a result that is shorter than its stub; else only the id may differ.
		return part.text === before.text || (part.text.startsWith(before.text) && isSummary(part.text));
	}

	#assistantFits(before: Part, part: Part): boolean {
		const thinking = part.thinking === before.thinking || part.thinking === 0;
		const calls =
			before.calls.length === part.calls.length &&
			part.calls.every((call, nth) => {
				const was = before.calls[nth];
				if (!was || was.name !== call.name || !this.#sameId(was.id, call.id)) return false;
				return was.args === call.args || purgeOf(JSON.parse(call.args)) !== undefined;
			});
		return thinking && calls && before.rest === part.rest;
	}

	#sameId(before: string, after: string): boolean {
		return before === after || cut(before) === after;
	}

	#shown(place: number, part: Part, before: Part): void {
		const at = this.#at++;
		if (part.calls.length > 0 || part.callId !== undefined) this.#block = undefined;
		if (part.raw === before.raw) return;
		if (before.role === "assistant") this.#assistant(place, part, before, at);
		else if (before.callId !== undefined) this.#result(place, part, before);
	}

	#assistant(place: number, part: Part, before: Part, at: number): void {
		const dropped = part.thinking < before.thinking;
		if (dropped) this.difference.unthinking.push(at);
		for (const [nth, call] of part.calls.entries()) {
			const was = before.calls[nth];
			if (!was) continue;
			// Ids lose their second half only with the reasoning item it names.
			assert.ok(dropped || was.id === call.id, `${this.#what}: message ${place}: the id ${was.id} was cut`);
			if (was.args === call.args) continue;
			const purge = purgeOf(JSON.parse(call.args));
			assert.ok(purge, `${this.#what}: message ${place}: other arguments`);
			assert.equal(purge.size, was.args.length, `${this.#what}: message ${place}: the size in the mark`);
			assert.ok(
				call.args.length < was.args.length,
				`${this.#what}: message ${place}: a mark longer than what was there`,
			);
			this.difference.purged.push({ ...purge, at: place, call: nth, original: was.args });
		}
	}

	#result(place: number, part: Part, before: Part): void {
		const { callId = "", text: original, images } = before;
		const stub = part.text === before.text ? undefined : stubOf(part.text);
		const stands = stub?.text ?? original;
		if (stub) this.difference.stubbed.push({ at: place, callId, stub, ref: stub.ref, original, images });
		const rest = part.text.slice(stands.length);
		if (isSummary(rest)) this.difference.summaries.push({ at: place, text: rest.replace(/^\n+/, "") });
		else assert.equal(rest, "", `${this.#what}: message ${place}: a stub with more in it`);
	}

	/** A message that pi does not have. */
	#added(place: number, part: Part, before: Part | undefined): void {
		const block = part.role === "user" ? blockOf(part.text) : undefined;
		if (block) {
			assert.equal(this.#pruned[place - 1]?.role, "user", `${this.#what}: ${block.id} stands behind its prompt`);
			this.#block = { ...block, at: place, hidden: [], relocated: [] };
			this.difference.blocks.push(this.#block);
		} else if (part.role === "user" && isSummary(part.text)) {
			this.difference.summaries.push({ at: place, text: part.text });
		} else
			assert.fail(
				`${this.#what}: message ${place} is neither as it was, nor a stub, nor a summary, nor a block:\n${part.raw.slice(0, 400)}\nthere stood:\n${before?.raw.slice(0, 400)}`,
			);
	}

	/** What holds for the list as a whole. */
	#judge(): void {
		const { blocks, unthinking } = this.difference;
		for (const block of blocks) {
			assert.ok(block.hidden.length > 0, `${this.#what}: ${block.id} hides nothing`);
			const results = block.hidden.filter(({ callId }) => callId !== undefined);
			const images = this.#pruned[block.at]?.images ?? [];
			block.relocated = results.filter(({ toolName = "", text }) => block.body.includes(protectedText(toolName, text)));
			assert.deepEqual(
				images,
				block.relocated.flatMap(({ images }) => images),
				`${this.#what}: ${block.id} has the images of its protected outputs`,
			);
		}
		const newest = this.#whole.findLastIndex(({ role }) => role === "assistant");
		assert.ok(!unthinking.includes(newest), `${this.#what}: the newest reply keeps its thinking`);
	}
}

/** `whole`: the messages a run without pi-decant sends at the same point. */
export function explainChat(whole: readonly ChatMessage[], pruned: readonly ChatMessage[], what: string): Difference {
	return new Comparison(whole.map(chatPart), pruned.map(chatPart), what).run();
}

/**
 * Explains `pruned` as `whole` with results turned into stubs, chains into blocks, summaries put in, arguments and
 * thinking taken out. Anything else that differs fails the test: what stayed must have stayed byte for byte.
 */
export function explainPi(whole: readonly PiMessage[], pruned: readonly PiMessage[], what: string): Difference {
	return new Comparison(whole.map(piPart), pruned.map(piPart), what).run();
}

/** The one tool result of a body that answers a call of this name, and its text. */
export function resultsOf(body: ChatBody, toolName: string): string[] {
	const names = new Map<string, string>();
	const texts: string[] = [];
	for (const message of body.messages) {
		for (const call of message.tool_calls ?? []) names.set(call.id, call.function.name);
		if (message.role === "tool" && names.get(message.tool_call_id ?? "") === toolName) texts.push(textOf(message));
	}
	return texts;
}

/** Body of a `context_tree_query` block: what follows the empty line after its head. */
export function recoveredBody(text: string): string {
	const gap = text.indexOf("\n\n");
	assert.ok(text.startsWith("## toolRef: ") && gap > 0, `not a query answer: ${text.slice(0, 200)}`);
	return text.slice(gap + 2);
}

/** Requests in order; where one does not begin with all messages of the one before, its index. */
export function rewrites(bodies: readonly ChatBody[]): number[] {
	const at: number[] = [];
	for (let k = 1; k < bodies.length; k++) {
		const [earlier, later] = [bodies[k - 1]?.messages ?? [], bodies[k]?.messages ?? []];
		if (sharedMessages(earlier, later) < earlier.length) at.push(k);
	}
	return at;
}
