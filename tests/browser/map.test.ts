// Where the tokens of a request are, on both sides: the map is the core's, adds up to the request, and says the same of
// what was saved as the list of messages does.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { repositoryRoot, sharedDir } from "../harness/paths.ts";
import { besideNative, figureIn, type Native, native, rounded } from "./native.ts";
import { give, pick, settled, textOf, view } from "./page.ts";
import { formats } from "./transcripts.ts";

interface PartRow {
	name: string;
	before: number;
	after: number;
	difference: number;
}

/** The rows of the table; what they all come to is the last. */
async function table(page: Page): Promise<PartRow[]> {
	await settled(page);
	return page.$$eval(".parts :is(tbody, tfoot) tr", (rows) =>
		rows.map((row) => {
			// The first text of a cell is its figure, the share comes after it.
			const figure = (cell: Element | undefined) =>
				Number((cell?.firstChild?.textContent ?? "").replace("−", "-").replace(/[^\d-]/g, ""));
			const [before, after, difference] = [...row.querySelectorAll("td")].map(figure);
			const name = row.querySelector("th")?.textContent?.trim() ?? "";
			return { name, before: before ?? 0, after: after ?? 0, difference: difference ?? 0 };
		}),
	);
}

const near = (one: number, other: number) => Math.abs(one - other) <= 1;

describe("the map", () => {
	// The first two are the third in an older writing.
	const made = Object.fromEntries(formats.slice(2).map(({ name, make }) => [name, make()]));
	const { paths: own, open } = besideNative(made);
	const found = ["www/public/samples", join(sharedDir, "sessions"), join(sharedDir, "sessions", "other")]
		.map((place) => (place.startsWith("www") ? join(repositoryRoot, place) : place))
		.filter(existsSync)
		.flatMap((place) => readdirSync(place).map((name) => join(place, name)))
		.filter((path) => path.endsWith(".jsonl"));
	for (const path of [...own, ...found])
		test(`has both sides of ${basename(path)}`, async () => {
			const { page, complaints, close } = await open();
			await give(page, basename(path), readFileSync(path));
			const core = native(path);
			const count = core.requests.length - 1;
			for (const request of new Set([count >> 1, count - 1, count])) await checked(page, core, request);
			assert.deepEqual(complaints, []);
			await close();
		});

	async function checked(page: Page, core: Native, request: number) {
		const { sides, outline } = core.requests[request] as Native["requests"][number];
		const where = `request ${request + 1}`;
		const [off, on] = [sides?.[0] ?? core.overview.nextOff, sides?.[3] ?? core.overview.nextOn];
		assert.ok(near(outline.saved, off - on), `${where}: ${outline.saved} saved of ${off} and ${on}`);
		await pick(page, request + 1);
		await view(page, "Map");
		const rows = await table(page);
		const all = rows.pop() as PartRow;
		assert.ok(near(all.before, off) && near(all.after, on), `${where}: ${JSON.stringify(all)}, ${off}, ${on}`);
		assert.equal(Math.abs(all.difference), rounded(Math.abs(off - on)), where);
		// As the core takes each side apart: the same figures, whatever a part is called.
		for (const side of ["before", "after"] as const) {
			const parts = (side === "before" ? outline.mapBefore : outline.map).filter(({ kind }) => kind !== "saved");
			const shown = rows.map((row) => row[side]).filter((tokens) => tokens > 0);
			const own = parts.map(({ tokens }) => rounded(tokens)).filter((tokens) => tokens > 0);
			assert.deepEqual(shown.sort(), own.sort(), `${where}, ${side}`);
			for (const { kind, label, tokens } of parts.filter(({ kind }) => kind === "results")) {
				const row = rows.find(({ name }) => name === `Results: ${label}`);
				assert.equal(row?.[side], rounded(tokens), `${where}: ${kind} ${label}`);
			}
		}
		await saved(page, where, outline.saved);
		await traced(page, rows);
	}

	/** The sentence over the map, the hatched box and the list of messages say the same. */
	async function saved(page: Page, where: string, tokens: number) {
		const heading = await textOf(page, ".view p");
		const hatched = page.locator(".box.saved");
		if (tokens > 0) {
			assert.ok(heading.includes(`: ${rounded(tokens).toLocaleString("en-US")} saved.`), `${where}: ${heading}`);
			assert.equal(figureIn(await hatched.getAttribute("title")), rounded(tokens), where);
		} else assert.equal(await hatched.count(), 0, where);
		await view(page, "Before / after");
		await page.getByLabel("Show").selectOption(tokens > 0 ? "changed" : "all");
		const list = await textOf(page, ".bar p");
		const said = figureIn(/([\d,]+) tokens saved/.exec(list)?.[1]);
		assert.equal(said, rounded(tokens), `${where}: ${list}`);
		await view(page, "Map");
	}

	/** A part leads to the messages that it consists of. */
	async function traced(page: Page, rows: PartRow[]) {
		const user = rows.find(({ name }) => name === "User");
		if (!user) return;
		await page.getByRole("button", { name: "User", exact: true }).click();
		const said = await textOf(page, ".bar p");
		const [before = 0, after = 0] = [/([\d,]+) tokens? without/, /([\d,]+) with\./].map((figure) =>
			figureIn(figure.exec(said)?.[1]),
		);
		// Summaries stand as messages of the user, and are a kind of their own.
		const summaries = rows.find(({ name }) => name === "Summaries");
		assert.ok(near(before, user.before), `${said} for ${user.before}`);
		const most = user.after + (summaries?.after ?? 0) + 2;
		assert.ok(after >= user.after - 1 && after <= most, `${said} for ${user.after}`);
	}
});
