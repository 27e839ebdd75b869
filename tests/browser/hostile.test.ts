// Text of a transcript is text: whatever stands in it, no element comes of it, nothing runs, nobody is asked.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Locator } from "playwright-core";
import { SessionBuilder, tinyPng } from "../harness/sessions.ts";
import { countOf, give, list, Playground, settled, view } from "./page.ts";

const clickAll = (buttons: Locator) =>
	buttons.evaluateAll((all) => {
		for (const one of all) (one as HTMLButtonElement).click();
	});

const script = "</script><script>window.taken = 1</script>";
const image = `<img src="http://127.0.0.1:9/x" onerror="window.taken = 2">`;
const attack = `${script}${image}<svg onload="window.taken=3"><style>*{display:none}</style><a href="javascript:window.taken=4">x</a>`;

function hostile(): string {
	const session = new SessionBuilder({ cwd: attack });
	session.append("session_info", { name: attack });
	for (let at = 0; at < 3; at++) {
		session.user(`${attack} ${at}`);
		for (let nth = 0; nth < 3; nth++)
			session.toolTurn(
				[
					{
						name: `bash${attack}`,
						id: `call${at}${nth}${attack}`,
						args: { command: attack },
						result: [
							{ type: "text", text: `${attack}\n`.repeat(80) },
							{ type: "image", data: tinyPng, mimeType: "image/png" },
							{
								type: "image",
								data: btoa(`<svg xmlns="http://www.w3.org/2000/svg" onload="window.taken=5"/>`),
								mimeType: "image/svg+xml",
							},
							{
								type: "image",
								data: `"><script>window.taken=6</script>`,
								mimeType: `text/html"><script>window.taken=7</script>`,
							},
						],
					},
				],
				[{ type: "thinking", thinking: attack }],
			);
		session.assistant(attack, { model: attack, provider: attack, api: attack });
	}
	session.append(attack, { data: attack });
	const end = session.leafId ?? "";
	session.append("message", { parentId: "<b>gone</b>", message: { role: "<i>role</i>", content: attack } });
	session.branch(session.entries[4]?.id ?? "");
	session.user(attack);
	session.assistant(attack);
	session.branch(end);
	session.user(attack);
	session.assistant(attack);
	return session.jsonl();
}

describe("a hostile transcript", () => {
	let playground: Playground;
	before(async () => {
		playground = await Playground.start();
	});
	after(() => playground.stop());

	test("stays text in every view", async () => {
		const { page, complaints, strangers, close } = await playground.open();
		await give(page, `${script}.jsonl`, hostile());
		const leaves = await page
			.locator(".leaf option")
			.evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
		for (const leaf of leaves) {
			await page.locator(".leaf select").selectOption(leaf);
			await settled(page);
			for (const name of ["Before / after", "Map", "Cache", "Findings", "Settings", "Export"]) {
				// A branch without a request has nothing to show of one.
				if ((await page.getByRole("tab", { name }).count()) === 0) continue;
				await view(page, name);
				if (name === "Before / after") {
					await list(page, "all");
					for (const label of ["Whole text", "Diff"]) {
						// Rows that grow push others out of the document: all that are in it at once.
						const buttons = page.getByRole("button", { name: label });
						await clickAll(buttons);
						await intact(label);
					}
				}
				if (name === "Export") await clickAll(page.locator(".exports button[aria-expanded=false]"));
				await intact(name);
			}
			for (const id of (await countOf(page, "#tab-query")) > 0 ? ["t1", attack] : []) {
				await view(page, "Query");
				await page.getByLabel("What stood here").fill(id);
				await page.getByRole("button", { name: "Fetch" }).click();
				await settled(page);
				await intact(`query ${id}`);
			}
		}
		assert.deepEqual(complaints, []);
		assert.deepEqual(strangers, []);
		await close();

		async function intact(where: string) {
			await settled(page);
			const found = await page.evaluate(() => ({
				taken: (window as { taken?: number }).taken,
				scripts: document.querySelectorAll("body script, body style, body iframe, body svg[onload], [onerror]").length,
				links: [...document.querySelectorAll("a")].map((link) => link.protocol).filter((one) => one === "javascript:")
					.length,
				images: [...document.images].filter((one) => !one.src.startsWith("data:image/png;base64,")).length,
			}));
			assert.deepEqual(found, { taken: undefined, scripts: 0, links: 0, images: 0 }, where);
		}
	});

	test("the page's policy would stop what came through all the same", async () => {
		const { page, close } = await playground.open();
		const ran = await page.evaluate(async () => {
			const inline = document.createElement("script");
			inline.textContent = "window.taken = 1";
			document.body.append(inline);
			const sent = await fetch("http://127.0.0.1:9/").then(
				() => "sent",
				(error: Error) => error.name,
			);
			return { taken: (window as { taken?: number }).taken, sent };
		});
		assert.deepEqual(ran, { taken: undefined, sent: "TypeError" });
		await close();
	});
});
