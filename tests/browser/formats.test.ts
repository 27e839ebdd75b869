// Each format, its own samples and, where they are at hand, real sessions: read, drawn, nothing complained of, nobody asked.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { sharedDir } from "../harness/paths.ts";
import { countOf, give, legend, list, type Opened, Playground, pick, shown, textOf } from "./page.ts";
import { formats, story } from "./transcripts.ts";

describe("formats", () => {
	let playground: Playground;
	before(async () => {
		playground = await Playground.start();
	});
	after(() => playground.stop());

	const opened = async (work: (opened: Opened) => Promise<void>) => {
		const tab = await playground.open();
		try {
			await work(tab);
			assert.deepEqual(tab.complaints, []);
			assert.deepEqual(tab.strangers, []);
		} finally {
			await tab.close();
		}
	};

	for (const { name, make, called } of formats)
		test(`${called} is recognized by its content and drawn`, () =>
			opened(async ({ page }) => {
				// A name that says nothing.
				await give(page, "transcript.txt", make());
				const facts = await textOf(page, ".facts");
				assert.ok(facts.startsWith(called), facts);
				await list(page, "all");
				assert.ok((await textOf(page, ".rows")).includes(story[0]), "the first prompt stands in the list");
				const slider = page.getByRole("slider", { name: "Request" });
				const requests = Number(await slider.getAttribute("max")) - 1;
				// Each prompt has four calls, one a request, and an answer.
				assert.equal(requests, story.length * 5, name);
				await pick(page, requests);
				await list(page, "changed");
				assert.ok((await countOf(page, ".chip")) > 0, "something is hidden");
				const figures = await legend(page);
				assert.ok((figures["Next request"] ?? 0) < (figures["Without pi-decant"] ?? 0), JSON.stringify(figures));
				assert.ok((figures.Results ?? 0) + (figures.Summaries ?? 0) > 0, "results were found");
			}));

	const samples = {
		"A coding session": "coding.jsonl",
		"A long one": "long.jsonl",
		"One with branches": "branchy.jsonl",
	};
	for (const [sample, file] of Object.entries(samples))
		test(`the sample "${sample}" is one click away and shows something hidden`, () =>
			opened(async ({ page }) => {
				await page.getByRole("button", { name: sample, exact: true }).click();
				await shown(page, file);
				assert.ok((await countOf(page, ".chip")) > 0, "a chip says what was hidden");
			}));

	const sessions = join(sharedDir, "sessions");
	const real = [sessions, join(sessions, "other")].flatMap((folder) =>
		existsSync(folder)
			? readdirSync(folder).flatMap((name) => (name.endsWith(".jsonl") ? [join(folder, name)] : []))
			: [],
	);
	const skip = real.length === 0 && `no sessions in ${sessions}`;
	test("real sessions are read and drawn", { skip }, () =>
		opened(async ({ page }) => {
			for (const path of real) {
				await give(page, basename(path), readFileSync(path));
				const figures = await legend(page);
				assert.ok((figures["Without pi-decant"] ?? 0) > 0, `${path}: ${JSON.stringify(figures)}`);
			}
		}),
	);
});
