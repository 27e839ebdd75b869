import assert from "node:assert/strict";
import {
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readSettingsFile, updateSettingsFile } from "../src/settings/file.ts";
import { WelcomeNote } from "../src/settings/welcome.ts";
import { scratch } from "./scratch.ts";

function file(text?: string): string {
	const path = join(scratch(), "settings.json");
	if (text !== undefined) writeFileSync(path, text, { mode: 0o640 });
	return path;
}

test("only the changed key is touched; everything else, unknown keys included, stays", () => {
	const path = file(
		'{\n\t"theme": "dark",\n\t"contextPrune": { "later": [1], "purgeErrors": { "enabled": true, "cooldownTurns": 5 } },\n\t"z": 1e3\n}',
	);
	assert.equal(
		updateSettingsFile(path, "contextPrune", { enabled: false, purgeErrors: { enabled: false } }),
		undefined,
	);
	assert.equal(
		readFileSync(path, "utf8"),
		`${JSON.stringify({ theme: "dark", contextPrune: { later: [1], purgeErrors: { enabled: false, cooldownTurns: 5 }, enabled: false }, z: 1000 }, null, "\t")}\n`,
	);
	assert.equal(statSync(path).mode & 0o777, 0o640);
	assert.deepEqual(readdirSync(join(path, "..")), ["settings.json"], "no lock and no temporary file stays");
});

test("a missing file is made, and so is its directory", () => {
	const path = join(file(), "..", "new", "settings.json");
	assert.equal(updateSettingsFile(path, "contextPrune", { enabled: false }), undefined);
	assert.equal(readFileSync(path, "utf8"), '{\n  "contextPrune": {\n    "enabled": false\n  }\n}\n');
});

test("a broken file is named with its line and never written to", () => {
	for (const [text, line] of [
		['{\n  "theme": "dark",\n  "oops"\n}', 4],
		['{\n  "theme": "dark"', 2],
		["{\n\n  nope}", 3],
	] as const) {
		const path = file(text);
		const problem = updateSettingsFile(path, "contextPrune", { enabled: false });
		assert.equal(problem, `${path} line ${line} is not valid JSON; it was left as it is`);
		assert.equal(readFileSync(path, "utf8"), text);
	}
	const path = file("[1]");
	assert.match(updateSettingsFile(path, "contextPrune", {}) ?? "", /holds no JSON object; it was left/);
	assert.equal(readFileSync(path, "utf8"), "[1]");
});

test("an empty file and a byte order mark are read", () => {
	assert.deepEqual(readSettingsFile(file("")), { ok: true, text: "", settings: {} });
	const marked = readSettingsFile(file('\uFEFF{"contextPrune":{"enabled":false}}'));
	assert.deepEqual(marked.ok && marked.settings, { contextPrune: { enabled: false } });
});

test("a symbolic link stays a link", () => {
	const target = file('{"theme":"dark"}');
	const path = join(scratch(), "settings.json");
	symlinkSync(target, path);
	assert.equal(updateSettingsFile(path, "contextPrune", { enabled: true }), undefined);
	assert.ok(lstatSync(path).isSymbolicLink());
	assert.deepEqual(JSON.parse(readFileSync(target, "utf8")), { theme: "dark", contextPrune: { enabled: true } });
});

test("pi's lock is respected while fresh and taken over when stale", () => {
	const path = file("{}");
	mkdirSync(`${path}.lock`);
	assert.match(
		updateSettingsFile(path, "contextPrune", { enabled: true }) ?? "",
		/cannot be written \(pi holds its lock\)/,
	);
	const old = new Date(Date.now() - 60_000);
	utimesSync(`${path}.lock`, old, old);
	assert.equal(updateSettingsFile(path, "contextPrune", { enabled: true }), undefined);
});

test("the welcome comes once, and again where it cannot be remembered", () => {
	const dir = scratch();
	assert.equal(new WelcomeNote(dir).isFirst(), true);
	assert.equal(new WelcomeNote(dir).isFirst(), false);
	const nowhere = join(dir, "missing");
	assert.equal(new WelcomeNote(nowhere).isFirst(), true);
	assert.equal(new WelcomeNote(nowhere).isFirst(), true);
});
