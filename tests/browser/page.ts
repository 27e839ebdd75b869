/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
// The built page in a headless Chromium, served under a sub-path, every request it makes on record.

import { existsSync, mkdirSync } from "node:fs";
import type { Server } from "node:http";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { built, serve } from "../../www/serve.ts";
import { repositoryRoot } from "../harness/paths.ts";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const usual = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];

function executable(): string {
	const folders = (process.env.PATH ?? "").split(delimiter);
	const found = [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...usual].find(existsSync);
	if (!found) throw new Error("there is no Chromium or Chrome; `cargo xtask setup` installs one");
	return found;
}

/** ms. A shared machine may be busy with other things; what never comes is told from what is late by this alone. */
const PATIENCE = 60_000;

export const screenshots = join(repositoryRoot, "tests", "output", "playground");

export interface Opened {
	page: Page;
	/** What must stay empty: exceptions, complaints of the console (the page's policy among them). */
	complaints: string[];
	/** Addresses that were asked for outside the page's own folder. */
	strangers: string[];
	close(): Promise<void>;
}

/** A browser and a server for one file of tests. */
export class Playground {
	readonly url: string;
	readonly browser: Browser;
	readonly #server: Server;

	private constructor(url: string, browser: Browser, server: Server) {
		this.url = url;
		this.browser = browser;
		this.#server = server;
	}

	static async start(): Promise<Playground> {
		if (!existsSync(join(built, "index.html"))) throw new Error(`${built} is missing: run \`cargo xtask build\` first`);
		mkdirSync(screenshots, { recursive: true });
		const { url, server } = await serve(built, 0, "/some/where/");
		const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"];
		const browser = await chromium.launch({ executablePath: executable(), args: [...args, "--disable-sync"] });
		return new Playground(url, browser, server);
	}

	async open(options: Parameters<Browser["newContext"]>[0] = {}): Promise<Opened> {
		const context: BrowserContext = await this.browser.newContext({
			viewport: { width: 1280, height: 900 },
			// What fades in would be judged half faded.
			reducedMotion: "reduce",
			...options,
		});
		context.setDefaultTimeout(PATIENCE);
		const page = await context.newPage();
		const complaints: string[] = [];
		const strangers: string[] = [];
		page.on("pageerror", (error) => complaints.push(String(error)));
		page.on("console", (message) => {
			if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
		});
		context.on("request", (request) => {
			const url = request.url();
			if (!url.startsWith(this.url) && !url.startsWith("data:") && !url.startsWith("blob:")) strangers.push(url);
		});
		await page.goto(this.url);
		await page.waitForSelector(".start");
		return { page, complaints, strangers, close: () => context.close() };
	}

	async stop(): Promise<void> {
		await this.browser.close();
		this.#server.closeAllConnections();
		this.#server.close();
	}
}

/** Hands the page a file and waits until it is shown. */
export async function give(page: Page, name: string, content: string | Buffer): Promise<void> {
	await put(page, name, content);
	await shown(page, name);
}

export async function put(page: Page, name: string, content: string | Buffer): Promise<void> {
	await page.setInputFiles("input[type=file]", {
		name,
		mimeType: "application/octet-stream",
		buffer: typeof content === "string" ? Buffer.from(content) : content,
	});
}

/** Drops a file on the page without waiting for anything; made in the page, it never crosses from the test as a file. */
export async function drop(page: Page, name: string, content: string): Promise<void> {
	await page.evaluate(
		([file, text]) => {
			const data = new DataTransfer();
			data.items.add(new File([text], file));
			document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
		},
		[name, content] as const,
	);
}

/** The transcript of this name is on the screen; a sentence of trouble instead is a failure that says it. */
export async function shown(page: Page, name: string): Promise<void> {
	const ready = await page.waitForFunction(
		(wanted) => {
			const trouble = document.querySelector("main .trouble");
			if (trouble) return `trouble: ${trouble.textContent}`;
			return document.title.startsWith(wanted) && document.querySelector(".session") ? "shown" : undefined;
		},
		name,
		{ timeout: 120_000 },
	);
	const said = await ready.jsonValue();
	if (said !== "shown") throw new Error(`${name}: the page says ${said}`);
	await settled(page);
}

/**
 * Waits until nothing is outstanding that the page asked its worker for, by what the page says of itself, and until what
 * came of it has been laid out, since rows that turn out low make room for more. Everything a test looks at once, it
 * looks at after this: the worker may take any time.
 */
export async function settled(page: Page): Promise<void> {
	await page.evaluate(async (patience) => {
		const frame = () => new Promise(requestAnimationFrame);
		const end = performance.now() + patience;
		for (let quiet = 0; quiet < 2; ) {
			await frame();
			const busy = document.querySelector("[aria-busy=true], .progress");
			quiet = busy ? 0 : quiet + 1;
			if (busy && performance.now() > end) throw new Error(`still busy: ${busy.id || busy.className}`);
		}
		if (document.querySelector(".message.waiting")) throw new Error("the page says it has settled, and has empty rows");
	}, PATIENCE);
}

/** Calls `read` until `check` accepts what it gives; in the end the check's own failure counts. */
export async function eventually<T>(read: () => Promise<T>, check: (value: T) => void): Promise<void> {
	for (const end = Date.now() + PATIENCE; ; ) {
		const value = await read();
		try {
			check(value);
			return;
		} catch (error) {
			if (Date.now() > end) throw error;
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}
}

/** The text of the first such element, once the page has settled. */
export async function textOf(page: Page, selector: string): Promise<string> {
	await settled(page);
	return (await page.textContent(selector)) ?? "";
}

/** How many such elements there are, once the page has settled. */
export async function countOf(page: Page, selector: string): Promise<number> {
	await settled(page);
	return page.locator(selector).count();
}

/** Picks a request by its number, counted from 1. */
export async function pick(page: Page, request: number): Promise<void> {
	await page.getByRole("slider", { name: "Request" }).fill(String(request));
	await settled(page);
}

/** Picks which messages are listed. */
export async function list(page: Page, which: string): Promise<void> {
	await page.getByLabel("Show").selectOption(which);
	await settled(page);
}

export async function view(page: Page, name: string): Promise<void> {
	await page.getByRole("tab", { name }).click();
	await settled(page);
}

/** The figures that the legend shows for the chosen request, by name. */
export async function legend(page: Page): Promise<Record<string, number>> {
	await settled(page);
	return page.$$eval(".legend li", (rows) =>
		Object.fromEntries(
			rows.map((row) => {
				const figure = row.querySelector("b")?.textContent ?? "";
				return [(row.textContent ?? "").replace(figure, "").trim(), Number(figure.replaceAll(",", ""))];
			}),
		),
	);
}
