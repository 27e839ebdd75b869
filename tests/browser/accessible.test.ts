// axe without findings in every view, in both themes, at desktop and phone width; the screenshots are kept.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { eventually, give, Playground, pick, screenshots, settled, view } from "./page.ts";
import { piSession } from "./transcripts.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

interface Found {
	id: string;
	nodes: { html: string; failureSummary?: string }[];
}

async function faults(page: Page): Promise<string[]> {
	const found = (await page.evaluate(async (tags) => {
		const { axe } = window as unknown as {
			axe: { run(on: Document, options: unknown): Promise<{ violations: Found[] }> };
		};
		return (await axe.run(document, { runOnly: { type: "tag", values: tags } })).violations;
	}, rules)) as Found[];
	return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

describe("everyone can use it", () => {
	let playground: Playground;
	before(async () => {
		playground = await Playground.start();
	});
	after(() => playground.stop());

	const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
	for (const colorScheme of ["light", "dark"] as const)
		for (const [size, viewport] of Object.entries(sizes))
			test(`axe finds nothing: ${colorScheme}, ${size}`, async () => {
				// The page's policy refuses foreign scripts, axe's too.
				const { page, close } = await playground.open({ viewport, colorScheme, bypassCSP: true });
				await page.evaluate(axe);
				const look = async (name: string) => {
					await settled(page);
					await page.screenshot({ path: join(screenshots, `${colorScheme}-${size}-${name}.png`), fullPage: true });
					assert.deepEqual(await faults(page), [], name);
					const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
					assert.ok(over <= 0, `${name} is ${over} px wider than the screen`);
				};
				await look("start");
				await give(page, "two-branches.jsonl", `${piSession()}{"torn`);
				await look("messages");
				const diff = page.getByRole("button", { name: "Diff" }).first();
				if (await diff.count()) await diff.click();
				await page.getByRole("button", { name: "Whole text" }).last().click();
				await look("opened");
				for (const name of ["Map", "Query", "Cache", "Findings", "Settings", "Export"]) {
					await view(page, name);
					if (name === "Query") {
						await page.getByLabel("What stood here").fill("t1");
						await page.keyboard.press("Enter");
						await settled(page);
					}
					if (name === "Settings") {
						await page.getByLabel("minBatchChars").fill("many");
						await page.keyboard.press("Enter");
						await settled(page);
					}
					if (name === "Export")
						await page.locator(".exports button[aria-expanded=false]").evaluateAll((all) => {
							for (const one of all) (one as HTMLButtonElement).click();
						});
					await look(name.toLowerCase());
				}
				await close();
			});

	test("all of it by keyboard: skip link, tabs, requests, a row, the query", async () => {
		const { page, close } = await playground.open();
		await page.keyboard.press("Tab");
		assert.equal(await page.evaluate(() => document.activeElement?.textContent?.trim()), "Skip to the content");
		await give(page, "session.jsonl", piSession());
		const slider = page.getByRole("slider", { name: "Request" });
		const isAt = (request: number, what: string) =>
			eventually(
				() => slider.inputValue(),
				(value) => assert.equal(value, String(request), what),
			);
		const focus = () => page.evaluate(() => document.activeElement?.id);
		await pick(page, 5);
		await page.locator("h1").click();
		await page.keyboard.press("ArrowRight");
		await isAt(6, "an arrow key anywhere");
		await page.keyboard.press("ArrowLeft");
		await page.keyboard.press("ArrowLeft");
		await isAt(4, "and back");
		await slider.focus();
		await page.keyboard.press("ArrowRight");
		await settled(page);
		await isAt(5, "an arrow key on the slider moves it once");
		await page.keyboard.press("End");
		await page.getByRole("tab", { name: "Before / after" }).focus();
		await page.keyboard.press("ArrowRight");
		await eventually(focus, (id) => assert.equal(id, "tab-map"));
		assert.equal(await page.getAttribute("#tab-map", "aria-selected"), "true");
		await page.keyboard.press("Home");
		await eventually(focus, (id) => assert.equal(id, "tab-messages"));
		await settled(page);
		await page.locator(".chip .ref").first().focus();
		await page.keyboard.press("Enter");
		await settled(page);
		await close();
	});

	test("a theme of one's own wins over the system's", async () => {
		const { page, close } = await playground.open({ colorScheme: "dark" });
		const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
		const dark = await paper();
		await page.getByRole("combobox", { name: "Colours" }).selectOption("light");
		await eventually(paper, (light) => assert.notEqual(light, dark));
		await close();
	});
});
