import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FakeCommands } from "./fake-commands.ts";
import { realCore } from "./real-core.ts";

const README = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("README: the settings it lists are the core's, with their defaults, and none is missing", () => {
	const listed = new Map<string, unknown>();
	for (const [, key = "", value = ""] of README.matchAll(/^\| `([\w.]+)` +\| `(.+?)` +\|/gm)) {
		if (/^[[{"\d]|^(true|false|null)$/.test(value)) listed.set(key, JSON.parse(value));
	}
	const rows = realCore().settingsSchema();
	for (const [key, value] of listed) assert.deepEqual(rows.find((row) => row.key === key)?.default, value, key);
	for (const { key } of rows) assert.ok(listed.has(key), `${key} is not in the README`);
});

test("README: the commands it lists are there, and none is missing", async () => {
	const help = await new FakeCommands().run("help");
	const names = [...help.matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => name);
	assert.ok(names.length > 10);
	for (const name of names) if (name !== "help") assert.match(README, new RegExp(`\`${name}[ \`\\[]`), name);
});
