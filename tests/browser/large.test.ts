// 20 MB: the page goes on answering while the worker reads, says how far it is, and can be told to stop.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { LongSession } from "../harness/long-session.ts";
import { countOf, drop, give, Playground, settled, shown } from "./page.ts";

function large(): string {
	const long = new LongSession();
	let text = "";
	for (let messages = 10_000; text.length < 20_000_000; messages += 1_000) {
		long.growTo(messages);
		text = long.session.jsonl();
	}
	return text;
}

interface Watched {
	/** ms: the longest time between two frames, and when it began. */
	gap: number;
	started: number;
	/** Where the bar was seen. */
	progress: number[];
	/** What stood beside it. */
	said: string[];
	start(): void;
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
			const watched = window as unknown as Watched;
			watched.gap = 0;
			watched.progress = [];
			watched.said = [];
			let last = 0;
			const frame = (now: number) => {
				watched.gap = Math.max(watched.gap, now - last);
				last = now;
				const bar = document.querySelector("progress");
				if (bar && bar.position >= 0 && watched.progress.at(-1) !== bar.position) {
					watched.progress.push(bar.position);
					watched.said.push(bar.closest(".progress")?.textContent ?? "");
				}
				requestAnimationFrame(frame);
			};
			watched.start = () => {
				last = watched.started = performance.now();
				requestAnimationFrame(frame);
				document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
			};
		}, text);
		await page.evaluate(() => (window as unknown as Watched).start());
		await shown(page, "large.jsonl");
		const took = await page.evaluate(() => performance.now() - (window as unknown as Watched).started);
		// Ten steps along the timeline, drawn.
		for (let step = 0; step < 10; step++) {
			await page.keyboard.press("ArrowLeft");
			await settled(page);
		}
		const { gap, progress, said } = await page.evaluate(() => {
			const { gap, progress, said } = window as unknown as Watched;
			return { gap, progress, said };
		});
		// A busy machine keeps the page waiting, but the worker just as well: it is judged by how long the reading took.
		const stood = `the page stood still for ${Math.round(gap)} ms of ${Math.round(took)}`;
		assert.ok(gap < took / 2, stood);
		assert.ok(progress.length > 2, `progress was seen at ${progress.join(", ")}`);
		const size = `${Math.round(Buffer.byteLength(text) / 1e6)} MB`;
		for (const [at, words] of said.entries()) {
			assert.ok(words.includes(size), `${words} of ${size}`);
			assert.ok(words.includes(`${Math.round((progress[at] ?? 0) * 100)} %`), `${words} at ${progress[at]}`);
		}
		const rows = await countOf(page, ".rows .item");
		assert.ok(rows > 3 && rows < 80, `${rows} rows of thousands are in the document`);
		assert.deepEqual(complaints, []);
		await close();
	});

	test("can be cancelled, and the next one is read as ever", async () => {
		const { page, close } = await playground.open();
		await page.evaluate(() => {
			// Within the page: a click from here might come when all has been read.
			const watch = new MutationObserver(() => {
				const button = document.querySelector<HTMLElement>(".progress button");
				if (!button) return;
				watch.disconnect();
				button.click();
				document.body.dataset.cancelled = button.textContent;
			});
			watch.observe(document.body, { childList: true, subtree: true });
		});
		await drop(page, "large.jsonl", text);
		assert.equal(await countOf(page, "body[data-cancelled=Cancel]"), 1);
		assert.equal(await countOf(page, ".timeline"), 0);
		assert.equal(await countOf(page, "main .trouble"), 0, "cancelling is no trouble");
		await give(page, "again.jsonl", text.slice(0, 400_000));
		await close();
	});
});
