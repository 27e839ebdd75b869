// The query box gives back the original, byte for byte; branches; what is kept over a reload, and only if asked.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SessionBuilder, tinyPng } from "../harness/sessions.ts";
import { countOf, eventually, give, list, Playground, pick, settled, shown, textOf } from "./page.ts";
import { piSession } from "./transcripts.ts";

const original = Array.from({ length: 300 }, (_, nth) => `line ${nth} of the log: größe ${nth * 7} 🙂`).join("\n");

function session(): SessionBuilder {
	const built = new SessionBuilder();
	built.user("Read the log");
	const image = { type: "image" as const, data: tinyPng, mimeType: "image/png" };
	built.toolTurn([{ name: "read", args: { path: "log.txt" }, result: [{ type: "text", text: original }, image] }]);
	built.assistant("I read it.");
	built.user("And now?");
	built.assistant("Nothing.");
	return built;
}

/** In the page: what its database keeps, without making one. */
async function lookUp(): Promise<{ request: number; theme: string } | undefined> {
	const [database] = await indexedDB.databases();
	if (!database?.name) return undefined;
	const done = <T>(asked: IDBRequest<T>) =>
		new Promise<T>((resolve, reject) => {
			asked.onsuccess = () => resolve(asked.result);
			asked.onerror = () => reject(asked.error);
		});
	const open = await done(indexedDB.open(database.name));
	try {
		const [store] = open.objectStoreNames;
		if (!store) return undefined;
		const [{ request, theme } = {}] = await done(open.transaction(store).objectStore(store).getAll());
		return { request, theme };
	} finally {
		open.close();
	}
}

describe("asking the page", () => {
	let playground: Playground;
	before(async () => {
		playground = await Playground.start();
	});
	after(() => playground.stop());

	test("a ref from a chip, an id, and what nobody knows", async () => {
		const { page, complaints, close } = await playground.open();
		const built = session();
		await give(page, "log.jsonl", built.jsonl());
		await page.locator(".chip .ref").first().click();
		assert.ok((await textOf(page, ".answer pre")).includes(original), "the original is in the answer");
		assert.equal(await countOf(page, ".answer img"), 1, "its picture, too");
		const answered = async (text: string) => {
			await page.getByLabel("What stood here").fill(text);
			await page.keyboard.press("Enter");
			await settled(page);
			return page.locator(".answer h2").allTextContents();
		};
		assert.match((await answered("nonesuch")).join(), /^Nothing is known as nonesuch at /);
		assert.match((await answered("T1")).join(), /^t1 at /);
		const several = await answered(" t1, T9  nonesuch,t1 ");
		assert.deepEqual(
			several.map((heading) => heading.replace(/ at .*/, "")),
			["t1", "Nothing is known as t9", "Nothing is known as nonesuch"],
		);
		const call = JSON.stringify(built.entries).match(/"toolCallId":"([^"]+)"/)?.[1] ?? "";
		assert.match((await answered(call)).join(), new RegExp(`^${call} at `), "the id of a call");
		assert.deepEqual(complaints, []);
		await close();
	});

	test("a changed message: both sides, its whole text, the diff, its picture", async () => {
		const { page, close } = await playground.open();
		await give(page, "log.jsonl", session().jsonl());
		const changed = page.locator(".message.changed").first();
		assert.match((await changed.locator(".chip").textContent()) ?? "", /saved/);
		assert.equal(await countOf(page, ".message.changed .images img"), 1);
		await changed.getByRole("button", { name: "Whole text" }).click();
		await settled(page);
		assert.ok((await changed.textContent())?.includes("line 299 of the log"));
		await changed.getByRole("button", { name: "Diff" }).click();
		await settled(page);
		assert.ok((await changed.locator("del").allTextContents()).join("").includes("line 150 of the log"));
		assert.ok((await changed.locator("ins").count()) > 0);
		await close();
	});

	test("each branch of a tree is replayed by itself", async () => {
		const { page, close } = await playground.open();
		const built = session();
		const end = built.entries.at(-1)?.id ?? "";
		built.branch(built.entries[2]?.id ?? "");
		built.user("Something else instead");
		built.assistant("As you like.");
		await give(page, "tree.jsonl", built.jsonl());
		assert.equal(await countOf(page, ".leaf option"), 2);
		await list(page, "all");
		assert.ok((await textOf(page, ".rows")).includes("Something else"));
		await page.locator(".leaf select").selectOption(end);
		const other = await textOf(page, ".rows");
		assert.ok(other.includes("And now?") && !other.includes("Something else"), other);
		await close();
	});

	test("a reload forgets everything, unless it was asked not to", async () => {
		const { page, complaints, close } = await playground.open();
		const databases = () => page.evaluate(async () => (await indexedDB.databases()).length);
		const kept = () => page.evaluate(lookUp);
		await give(page, "kept.jsonl", piSession());
		await page.reload();
		await page.waitForSelector(".start");
		await settled(page);
		assert.equal(await databases(), 0);
		assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length + document.cookie.length), 0);
		await give(page, "kept.jsonl", piSession());
		await pick(page, 3);
		await page.getByRole("combobox", { name: "Colours" }).selectOption("dark");
		await page.getByLabel(/^Keep this transcript/).check();
		await eventually(kept, (found) => assert.deepEqual(found, { request: 2, theme: "dark" }));
		await page.reload();
		await shown(page, "kept.jsonl");
		assert.equal(await page.getByRole("slider", { name: "Request" }).inputValue(), "3");
		assert.equal(await page.getAttribute("html", "data-theme"), "dark");
		await page.getByLabel(/^Keep this transcript/).uncheck();
		await eventually(databases, (count) => assert.equal(count, 0));
		await page.reload();
		await page.waitForSelector(".start");
		await settled(page);
		assert.equal(await countOf(page, ".session"), 0);
		assert.deepEqual(complaints, []);
		await close();
	});
});
