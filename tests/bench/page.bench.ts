// The playground in a browser: first picture of 5 MB, a step of the slider, and the size of the page. Budgets of issue 5.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { built } from "../../www/serve.ts";
import { Playground } from "../browser/page.ts";
import { LongSession } from "../harness/long-session.ts";
import { median, ms, print } from "./measure.ts";

const ROUNDS = 5;
const STEPS = 40;

function session(bytes: number): string {
	const long = new LongSession();
	let text = "";
	for (let messages = Math.floor(bytes / 2_600); text.length < bytes; messages += 100) {
		long.growTo(messages);
		text = long.session.jsonl();
	}
	return text;
}

interface Measured {
	first: number;
	steps: number[];
}

/** Within the page: from the drop to the frame that shows rows and timeline; from a step to the frame that shows it. */
async function measure(playground: Playground, text: string): Promise<Measured> {
	const { page, close } = await playground.open();
	await page.evaluate((content) => {
		const data = new DataTransfer();
		data.items.add(new File([content], "bench.jsonl"));
		Object.assign(window, {
			drop: () =>
				document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })),
		});
	}, text);
	// The wasm of the waiting worker is there when a person has found their file.
	await page.waitForTimeout(500);
	const measured = await page.evaluate(async (steps) => {
		const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
		const until = async (isThere: () => boolean) => {
			const began = performance.now();
			// The frame in which it is there has still to be painted: the next one begins when it is.
			while (!isThere()) await frame();
			await frame();
			return performance.now() - began;
		};
		(window as unknown as { drop(): void }).drop();
		const first = await until(() => document.querySelector(".message:not(.waiting)") !== null);
		const slider = document.querySelector<HTMLInputElement>("input[type=range]");
		const times: number[] = [];
		if (slider)
			for (let step = 0; step < steps; step++) {
				slider.value = String(1 + Math.floor(((step + 1) / (steps + 1)) * Number(slider.max)));
				slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
				const name = `Request ${slider.valueAsNumber.toLocaleString("en-US")}:`;
				times.push(
					await until(
						() =>
							document.querySelector(".bar p")?.textContent?.startsWith(name) === true &&
							document.querySelector(".message:not(.waiting)") !== null &&
							document.querySelector("[aria-busy=true]") === null,
					),
				);
			}
		return { first, steps: times };
	}, STEPS);
	await close();
	return measured;
}

const text = session(5_000_000);
const playground = await Playground.start();
const rounds: Measured[] = [];
for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(playground, text));
await playground.stop();

const first = median(rounds.map((round) => round.first));
const steps = rounds.flatMap((round) => round.steps).sort((a, b) => a - b);
const late = steps[Math.floor(steps.length * 0.95)] ?? 0;

const files = readdirSync(built, { recursive: true, encoding: "utf8" }).map((name) => ({
	name,
	path: join(built, name),
}));
const zipped = (wanted: (name: string) => boolean) =>
	files
		.filter(({ name, path }) => statSync(path).isFile() && !name.startsWith("samples") && wanted(name))
		.reduce((sum, { path }) => sum + gzipSync(readFileSync(path), { level: 9 }).length, 0) / 1_000;
const wasm = zipped((name) => name.endsWith(".wasm"));
const rest = zipped((name) => !name.endsWith(".wasm"));

print(
	`the page, ${(text.length / 1e6).toFixed(1)} MB`,
	["rounds", "median"],
	[
		{ what: "first picture", reference: String(ROUNDS), own: ms(first), figure: first, budget: 1_500, unit: "ms" },
		{
			what: "slider step, 95 of 100 below",
			reference: String(steps.length),
			own: ms(median(steps)),
			figure: late,
			budget: 50,
			unit: "ms",
		},
	],
);
print(
	"what it weighs, gzipped",
	["wasm", "the rest"],
	[
		{
			what: "page without a transcript",
			reference: `${wasm.toFixed(0)} kB`,
			own: `${rest.toFixed(0)} kB`,
			figure: wasm + rest,
			budget: 450,
			unit: "kB",
		},
	],
);
