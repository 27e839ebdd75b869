// What comes back through a ref, page by page, on sessions with all that JSON allows.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { awkwardSession } from "../harness/awkward.ts";
import { scratch } from "../harness/scratch.ts";
import { apply, load, lookupIn, messagesOf, oddities, type Session, withEpochs } from "./boundary.ts";

const folder = scratch("pi-decant-fetched-");
after(() => folder.remove());

test("what is fetched back is what the tool wrote, page by page, half pairs as U+FFFD", () => {
	let fetched = 0;
	for (let seed = 0; seed < 20; seed++) {
		const entries = withEpochs(oddities(seed, awkwardSession(seed).entries), 4);
		const session = load(entries);
		const lookup = lookupIn(entries);
		const sent = apply(session, messagesOf(folder.path, entries)) ?? [];
		for (const message of sent) {
			const [block] = Array.isArray(message.content) ? message.content : [];
			const ref = message.role === "toolResult" && /^\[.*ref `(t\d+)`/.exec(block?.text ?? "")?.[1];
			if (!ref) continue;
			const entryId = session.query([ref], lookup, undefined).details.results[0]?.entryId;
			if (!entryId) continue;
			const original = lookup(entryId) as { message: { content: { type: string; text?: unknown }[] | string } };
			const { content } = original.message;
			const texts = Array.isArray(content)
				? content.flatMap((one) => (one?.type === "text" && typeof one.text === "string" ? [one.text] : []))
				: [content];
			assert.equal(pages(session, ref, lookup), texts.join("\n").toWellFormed());
			fetched++;
		}
		session.free();
	}
	assert.ok(fetched > 20, `only ${fetched} stubs`);
});

function pages(session: Session, ref: string, lookup: (id: string) => object | undefined): string {
	let text = "";
	let offset: number | undefined = 0;
	while (offset !== undefined) {
		const answer = session.query([ref], lookup, { offset, limit: 777 });
		const block = answer.content[0] as { text: string };
		const body = block.text.slice(block.text.indexOf("\nTurn: "));
		const page = body.slice(body.indexOf("\n\n") + 2);
		const note = /\n\n\[Output truncated: [^\n]*?(?:Continue with offset (\d+)\.)?\]$/.exec(page);
		text += note ? page.slice(0, note.index) : page;
		offset = note?.[1] ? Number(note[1]) : undefined;
	}
	return text;
}
