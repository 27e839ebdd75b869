// What the page shows are the core's own figures: those of its native build, request by request.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { repositoryRoot, sharedDir } from "../harness/paths.ts";
import { give, legend, Playground, pick, settled, shown, textOf, view } from "./page.ts";
import { codex, piSession } from "./transcripts.ts";

interface Sums {
	sent: number;
	fresh: number;
	largest: number;
	rewrites: number;
}

interface Native {
	off: Sums;
	on: Sums;
	/** sentOff, cachedOff, freshOff, sentOn, cachedOn, freshOn */
	requests: number[][];
}

const example = ["--quiet", "--release", "--package", "decant", "--example", "replay"];

function native(path: string, settings = "{}"): Native {
	const printed = execFileSync("cargo", ["run", ...example, "--", path, settings, "--requests"], {
		cwd: repositoryRoot,
		encoding: "utf8",
		stdio: ["ignore", "pipe", "ignore"],
		maxBuffer: 1e8,
	});
	const [totals = "", ...rows] = printed.trim().split("\n");
	return { ...(JSON.parse(totals) as Native), requests: rows.map((row) => JSON.parse(row) as number[]) };
}

const whole = (figure: number) => new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 }).format(figure);

describe("the page's numbers", () => {
	let playground: Playground;
	const folder = mkdtempSync(join(tmpdir(), "decant-numbers-"));
	const compiling = { timeout: 900_000 };
	before(async () => {
		execFileSync("cargo", ["build", ...example], { cwd: repositoryRoot, stdio: "inherit" });
		playground = await Playground.start();
	}, compiling);
	after(async () => {
		await playground.stop();
		rmSync(folder, { recursive: true });
	});

	const made = { "pi.jsonl": piSession(), "codex.jsonl": codex() };
	const own = Object.entries(made).map(([name, text]) => {
		const path = join(folder, name);
		writeFileSync(path, text);
		return path;
	});
	const real = ["14-kimchi-session.jsonl", "09-pi-for-excel.jsonl"].map((name) => join(sharedDir, "sessions", name));
	for (const path of [...own, ...real])
		test(`are the core's: ${path.split("/").at(-1)}`, { skip: !existsSync(path) && `no ${path}` }, async () => {
			const { page, complaints, close } = await playground.open();
			await page.setInputFiles("input[type=file]", path);
			await shown(page, basename(path));
			const core = native(path);
			const totals = await page.$$eval(".figures dd", (all) =>
				all.map((one) => [one.querySelector(".was")?.getAttribute("title"), one.querySelector("strong")?.title]),
			);
			assert.deepEqual(totals.slice(0, 3), [
				[whole(core.off.sent), whole(core.on.sent)],
				[whole(core.off.fresh), whole(core.on.fresh)],
				[whole(core.off.largest), whole(core.on.largest)],
			]);
			assert.equal(await textOf(page, ".figures div:last-child strong"), whole(core.on.rewrites));
			const slider = page.getByRole("slider", { name: "Request" });
			assert.equal(Number(await slider.getAttribute("max")), core.requests.length + 1);
			const step = Math.max(1, Math.floor(core.requests.length / 12));
			for (let request = 0; request < core.requests.length; request += step) {
				await pick(page, request + 1);
				const [sentOff = 0, , , sentOn = 0, cachedOn = 0, freshOn = 0] = core.requests[request] ?? [];
				const figures = await legend(page);
				const kinds = Object.entries(figures).filter(
					([name]) => !["Without pi-decant", "Fresh", "Cached"].includes(name),
				);
				assert.deepEqual(
					[figures["Without pi-decant"], figures.Fresh, figures.Cached],
					[sentOff, freshOn, cachedOn].map((figure) => Number(whole(figure).replaceAll(",", ""))),
					`request ${request + 1}`,
				);
				const sum = kinds.reduce((all, [, tokens]) => all + tokens, 0);
				assert.ok(Math.abs(sum - sentOn) <= kinds.length / 2 + 1, `kinds of request ${request + 1}: ${sum}, ${sentOn}`);
				await traced(request);
			}
			assert.deepEqual(complaints, []);
			await close();

			/** The map adds up to the request, and a part of it to the messages it leads to. */
			async function traced(request: number) {
				await view(page, "Map");
				const heading = await textOf(page, ".view p");
				assert.ok(heading.startsWith(`Request ${whole(request + 1)}:`), heading);
				const { sent = 0, parts = [] } = await page.evaluate(() => {
					const figure = (text: string | null | undefined) => Number((text ?? "").replace(/[^\d]/g, ""));
					return {
						sent: figure(document.querySelector(".view p")?.textContent?.split(":")[1]),
						parts: [...document.querySelectorAll(".parts tbody tr")].map((row) => ({
							name: row.querySelector("th")?.textContent ?? "",
							tokens: figure(row.querySelector("td")?.textContent),
						})),
					};
				});
				const sentOn = core.requests[request]?.[3] ?? 0;
				assert.ok(Math.abs(sent - sentOn) <= 1, `map of request ${request + 1}: ${sent}, ${sentOn}`);
				const user = parts.find(({ name }) => name === "User");
				if (!user) return;
				await page.getByRole("button", { name: "User", exact: true }).click();
				const said = await textOf(page, ".bar p");
				const after = Number(/([\d,]+) with\./.exec(said)?.[1]?.replaceAll(",", ""));
				// Summaries stand as messages of the user, and are a kind of their own.
				const summaries = parts.find(({ name }) => name === "Summaries")?.tokens ?? 0;
				assert.ok(after >= user.tokens - 1 && after <= user.tokens + summaries + 2, `${said} for ${user.tokens}`);
			}
		});

	test("settings are replayed at once, and what the core refuses is said beside the field", async () => {
		const { page, close } = await playground.open();
		const path = own[0] as string;
		const sent = async () => {
			await settled(page);
			return page.getAttribute(".figures strong", "title");
		};
		await give(page, "pi.jsonl", made["pi.jsonl"]);
		await view(page, "Settings");
		await page.getByLabel("pruneOn").selectOption("on-demand");
		const expected = native(path, '{"pruneOn":"on-demand"}');
		assert.equal(await sent(), whole(expected.on.sent));
		assert.equal(expected.on.sent, expected.off.sent, "nothing is pruned on demand when nobody demands");
		await page.getByLabel("minBatchChars").fill("-5");
		await page.keyboard.press("Enter");
		await page.waitForSelector(".field .trouble");
		assert.match(await textOf(page, ".field .trouble"), /minBatchChars: expected a number of at least 0/);
		await view(page, "Export");
		await page.getByRole("button", { name: "Show" }).first().click();
		assert.match(await textOf(page, ".exports pre"), /"pruneOn": "on-demand"/);
		await view(page, "Settings");
		await page.getByRole("button", { name: "Reset all" }).click();
		const standard = native(path);
		assert.equal(await sent(), whole(standard.on.sent));
		await close();
	});
});
