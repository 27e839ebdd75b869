// What the page shows are the core's own figures: those of its native build, request by request.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import { sharedDir } from "../harness/paths.ts";
import { besideNative, dollars, native, rounded, some, whole } from "./native.ts";
import { countOf, give, legend, pick, settled, textOf, view } from "./page.ts";
import { codex, openAiRows, openCode, piSession } from "./transcripts.ts";

describe("the page's numbers", () => {
	const made = {
		"pi.jsonl": piSession(),
		"codex.jsonl": codex(),
		"opencode.json": openCode(),
		"rows.jsonl": openAiRows(),
	};
	const { paths: own, open } = besideNative(made);
	const real = ["02-pi-mono-large-session", "14-kimchi-session", "09-pi-for-excel", "other/codex-02-agentlogs-images"];
	const paths = [...own, ...real.map((name) => join(sharedDir, "sessions", `${name}.jsonl`))];
	for (const path of paths)
		test(`are the core's: ${basename(path)}`, { skip: !existsSync(path) && `no ${path}` }, async () => {
			const { page, complaints, close } = await open();
			await give(page, basename(path), readFileSync(path));
			const core = native(path);
			const figures = await page.$$eval(".figures > div", (all) =>
				Object.fromEntries(
					all.map((one) => [
						one.querySelector("dt")?.textContent,
						[one.querySelector(".was")?.getAttribute("title"), one.querySelector("strong")?.title].filter(Boolean),
					]),
				),
			);
			const isPriced = !core.overview.prices.includes("unknown");
			const cost = "Cost, summaries included";
			assert.deepEqual(figures, {
				"Sent in all": [whole(core.off.sent), whole(core.on.sent)],
				"Sent fresh": [whole(core.off.fresh), whole(core.on.fresh)],
				...(isPriced ? { [cost]: [dollars(core.off.cost), dollars(core.on.cost)] } : {}),
				"Largest request": [whole(core.off.largest), whole(core.on.largest)],
				"Rewrites of the history": [],
			});
			assert.equal(await textOf(page, ".figures div:last-child strong"), whole(core.on.rewrites));
			await money();
			await basis();
			const count = core.requests.length - 1;
			assert.equal(Number(await page.getByRole("slider", { name: "Request" }).getAttribute("max")), count + 1);
			for (const request of some(count)) await legended(request);
			assert.deepEqual(complaints, []);
			await close();

			/** The cost adds up, its direction is coloured, and the page says what of it summaries are. */
			async function money() {
				if (!isPriced) {
					assert.match(await textOf(page, ".basis"), /No price of .* is known here/);
					return;
				}
				const sum = (side: 6 | 7) => core.requests.reduce((all, { sides }) => all + (sides?.[side] ?? 0), 0);
				const replies = core.off.cost - sum(6);
				assert.ok(Math.abs(sum(7) + replies + core.on.summaries.cost - core.on.cost) < 1e-9, "the core's cost adds up");
				const direction = await page.locator(".figures .cost b").getAttribute("class");
				const by = core.on.cost / core.off.cost - 1;
				assert.equal(direction, Math.abs(by) < 0.0005 ? "same" : by > 0 ? "up" : "down");
				const note = await textOf(page, ".figures .cost small");
				assert.ok(note.startsWith(`${dollars(core.on.summaries.cost)} of it for summaries; prices `), note);
				const sources: Record<string, string> = { bills: "own bills", list: "price lists", set: "as set" };
				for (const source of core.overview.prices) assert.ok(note.includes(sources[source] ?? "?"), note);
			}

			/** What no message of the log accounts for is said beside the figures. */
			async function basis() {
				const { unseen, billed } = core.overview;
				const said = await textOf(page, ".basis");
				assert.match(said, /^A token is four characters/);
				assert.equal(said.includes("counted from the first bill"), unseen > 0, said);
				assert.equal(said.includes("The provider counted"), billed.requests > 0, said);
				if (billed.requests > 0) assert.ok(said.includes(`in ${whole(billed.requests)} request`), said);
			}

			async function legended(request: number) {
				await pick(page, request + 1);
				const { sides } = core.requests[request] ?? {};
				const { nextOff, nextOn } = core.overview;
				const sentOn = sides?.[3] ?? nextOn;
				const {
					"Without pi-decant": off,
					"Next request": next,
					Fresh: fresh,
					Cached: cached,
					...kinds
				} = await legend(page);
				const served = sides ? [sides[5], sides[4]].map((figure) => rounded(figure ?? 0)) : [Number.NaN, Number.NaN];
				assert.deepEqual(
					[off, fresh, cached, next],
					[rounded(sides?.[0] ?? nextOff), ...served, rounded(nextOn)],
					`request ${request + 1}`,
				);
				const sum = Object.values(kinds).reduce((all, tokens) => all + tokens, 0);
				const off1 = Math.abs(sum - sentOn);
				assert.ok(off1 <= Object.keys(kinds).length / 2 + 1, `kinds of request ${request + 1}: ${sum}, ${sentOn}`);
			}
		});

	test("settings are replayed at once, and what the core refuses is said beside the field", async () => {
		const { page, close } = await open();
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
		assert.equal(await countOf(page, ".figures .same"), 3, "what stays as it is has no direction");
		await page.getByLabel("minBatchChars").fill("-5");
		await page.keyboard.press("Enter");
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
