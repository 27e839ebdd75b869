// 20 MB: the page goes on answering while the worker reads, says how far it is, and can be told to stop.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { LongSession } from "../harness/long-session.ts";
import { Playground, put, shown } from "./page.ts";

/** ms without a frame that a busy machine may cost; a page frozen by 20 MB stands for seconds. */
const LONGEST_GAP = 500;

function large(): string {
	const long = new LongSession();
	let text = "";
	for (let messages = 10_000; text.length < 20_000_000; messages += 1_000) {
		long.growTo(messages);
		text = long.session.jsonl();
	}
	return text;
}

describe("a 20 MB transcript", () => {
	let playground: Playground;
	const text = large();
	before(async () => {
		playground = await Playground.start();
	});
	after(() => playground.stop());

	test("never freezes the page", async () => {
		const { page, complaints, close } = await playground.open();
		// The page has the file before the clock starts: getting it there is the test's work.
		await page.evaluate((content) => {
			const data = new DataTransfer();
			data.items.add(new File([content], "large.jsonl"));
			const watched = window as unknown as { gap: number; progress: number[]; start(): void };
			watched.gap = 0;
			watched.progress = [];
			let last = performance.now();
			const frame = (now: number) => {
				watched.gap = Math.max(watched.gap, now - last);
				last = now;
				const bar = document.querySelector("progress");
				if (bar && bar.position >= 0 && watched.progress.at(-1) !== bar.position) watched.progress.push(bar.position);
				requestAnimationFrame(frame);
			};
			watched.start = () => {
				last = performance.now();
				requestAnimationFrame(frame);
				document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
			};
		}, text);
		await page.evaluate(() => (window as unknown as { start(): void }).start());
		await shown(page, "large.jsonl");
		// Ten steps along the timeline, drawn.
		for (let step = 0; step < 10; step++) {
			await page.keyboard.press("ArrowLeft");
			await page.waitForTimeout(30);
		}
		const seen = await page.evaluate(() => {
			const { gap, progress } = window as unknown as { gap: number; progress: number[] };
			return { gap, progress };
		});
		assert.ok(seen.gap < LONGEST_GAP, `the page stood still for ${Math.round(seen.gap)} ms`);
		assert.ok(seen.progress.length > 2, `progress was seen at ${seen.progress.join(", ")}`);
		const rows = await page.locator(".rows .item").count();
		assert.ok(rows > 3 && rows < 80, `${rows} rows of thousands are in the document`);
		assert.deepEqual(complaints, []);
		await close();
	});

	test("can be cancelled, and the next one is read as ever", async () => {
		const { page, close } = await playground.open();
		await put(page, "large.jsonl", Buffer.from(text));
		await page.getByRole("button", { name: "Cancel" }).click();
		assert.equal(await page.locator(".progress").count(), 0);
		assert.equal(await page.locator(".timeline").count(), 0);
		assert.equal(await page.locator("main .trouble").count(), 0, "cancelling is no trouble");
		await put(page, "again.jsonl", Buffer.from(text.slice(0, 400_000)));
		await shown(page, "again.jsonl");
		await close();
	});
});
