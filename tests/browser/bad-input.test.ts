// What is no transcript gets a sentence that says what was expected and what was found, and what was open stays.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { tinyPng } from "../harness/sessions.ts";
import { countOf, give, Playground, put, settled, textOf } from "./page.ts";
import { piSession } from "./transcripts.ts";

const deep = 200_000;

const cases: { what: string; name: string; content: string | Buffer; says: RegExp }[] = [
	{ what: "an empty file", name: "empty.jsonl", content: "", says: /empty\.jsonl is empty/ },
	{ what: "blank lines", name: "blank.jsonl", content: "\n\n  \n", says: /blank\.jsonl: .*(empty|nothing|blank|no )/i },
	{
		what: "a picture",
		name: "shot.png",
		content: Buffer.from(tinyPng, "base64"),
		says: /shot\.png: .*(PNG|picture|image)/i,
	},
	{
		what: "prose",
		name: "notes.txt",
		content: "Dear diary,\ntoday I wrote no JSON.\n",
		says: /notes\.txt: .*expected.*found/is,
	},
	{
		what: "another program's JSON",
		name: "package.json",
		content: '{"name":"x","version":"1.0.0"}',
		says: /package\.json: .*expected.*found/is,
	},
	{ what: "deep nesting", name: "deep.json", content: "[".repeat(deep) + "]".repeat(deep), says: /deep\.json: / },
	{ what: "binary noise", name: "noise.bin", content: Buffer.alloc(50_000, 0xfe), says: /noise\.bin: / },
];

describe("bad input", () => {
	let playground: Playground;
	before(async () => {
		playground = await Playground.start();
	});
	after(() => playground.stop());

	const refused = async (page: Page) => {
		const said = (await page.locator("main .trouble span").first().textContent()) ?? "";
		await page.getByRole("button", { name: "Close", exact: true }).last().click();
		return said;
	};

	test("each is refused in a sentence, on the start page and with a transcript open", async () => {
		const { page, complaints, close } = await playground.open();
		for (const isOpen of [false, true]) {
			if (isOpen) await give(page, "good.jsonl", piSession());
			const heading = await page.textContent("h1");
			for (const { what, name, content, says } of cases) {
				await put(page, name, content);
				await settled(page);
				const said = await textOf(page, "main .trouble span");
				assert.match(said, says, `${what}, ${isOpen ? "one open" : "none open"}`);
				assert.ok(!/the fault is ours/.test(said), said);
				assert.ok(said.length < 400, `a sentence, not ${said.length} characters`);
				assert.equal(await page.textContent("h1"), heading, "the page keeps what it had");
				assert.equal(await page.locator(".progress").count(), 0);
				await page.locator("main .trouble button").click();
				assert.equal(await countOf(page, "main .trouble"), 0);
			}
		}
		assert.deepEqual(complaints, []);
		await close();
	});

	test("200 MB are refused at once, unread", async () => {
		const { page, close } = await playground.open();
		await page.evaluate(() => {
			// Made in the page: it never has to cross from the test.
			const parts = Array.from({ length: 200 }, () => new Uint8Array(1_000_000));
			const data = new DataTransfer();
			data.items.add(new File(parts, "huge.jsonl"));
			document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
		});
		assert.match(await refused(page), /huge\.jsonl has 200 MB; this page reads transcripts up to 150 MB/);
		await close();
	});

	test("half a file is read as far as it goes, and its torn end is a finding", async () => {
		const { page, close } = await playground.open();
		const text = piSession();
		await give(page, "half.jsonl", text.slice(0, Math.floor(text.length * 0.6)));
		await page.getByRole("tab", { name: /Findings/ }).click();
		assert.match(await textOf(page, ".findings"), /cut off|torn|lost/i);
		await close();
	});

	test("a paste into the field, beside it, and of nothing", async () => {
		const { page, close } = await playground.open();
		const paste = (selector: string, text: string) =>
			page.locator(selector).evaluate((target, pasted) => {
				const clipboardData = new DataTransfer();
				clipboardData.setData("text/plain", pasted);
				target.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
			}, text);
		await paste("textarea", "   ");
		assert.match(await refused(page), /Pasted text/);
		await paste("textarea", piSession());
		await settled(page);
		await paste("body", "nonsense");
		await settled(page);
		assert.equal(await countOf(page, ".timeline"), 1);
		await close();
	});
});
