import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { Settings } from "../src/settings/settings.ts";
import { formatValue, nested, parseValue, valueAt } from "../src/settings/values.ts";
import { quoteWord, splitWords } from "../src/settings/words.ts";
import { FakeCommands } from "./fake-commands.ts";
import { realCore } from "./real-core.ts";

test("words: what is quoted is read back, whatever it holds", () => {
	const printable = fc.string({ unit: fc.constantFrom(..."a b\t\"'\\,*{}[]/ü𝄞") });
	fc.assert(
		fc.property(fc.array(printable), (words) => {
			assert.deepEqual(splitWords(words.map(quoteWord).join(" ")), { ok: true, words });
		}),
	);
	assert.deepEqual(splitWords(`a"b c"d 'e f' C:\\x\\* x,y`), { ok: true, words: ["ab cd", "e f", "C:\\x\\*", "x,y"] });
	assert.deepEqual(splitWords("it's"), { ok: false, problem: "a ' is not closed" });
});

test("every default is shown in a form that is read back as itself, and the core takes it", () => {
	const core = realCore();
	for (const row of core.settingsSchema()) {
		const shown = formatValue(row, row.default);
		assert.deepEqual(parseValue(row, shown), { ok: true, value: row.default }, `${row.key}: ${shown}`);
		assert.deepEqual(core.readSettings(nested(row.key, row.default)).problems, [], row.key);
		for (const preset of row.presets ?? []) {
			assert.deepEqual(parseValue(row, formatValue(row, preset)), { ok: true, value: preset }, row.key);
			assert.deepEqual(core.readSettings(nested(row.key, preset)).problems, [], row.key);
		}
	}
});

test("dotted keys reach into objects", () => {
	assert.deepEqual(nested("a.b.c", 1), { a: { b: { c: 1 } } });
	assert.equal(valueAt({ a: { b: 2 } }, "a.b"), 2);
	assert.equal(valueAt({ a: 1 }, "a.b"), undefined);
});

test("a change of one nested key keeps the others, in the file and where it cannot be written (B10)", () => {
	const pi = new FakeCommands({ contextPrune: { chainCompression: { enabled: false, fuseRangeSummary: false } } });
	pi.settings.change({ chainCompression: { rollingWindow: 5 } });
	assert.deepEqual(pi.saved, { chainCompression: { enabled: false, fuseRangeSummary: false, rollingWindow: 5 } });

	const raws: unknown[] = [];
	const core = realCore();
	const spy = {
		...core,
		settingsSchema: core.settingsSchema,
		readSettings: (raw: unknown) => {
			raws.push(raw);
			return core.readSettings(raw);
		},
	};
	const settings = new Settings(pi.agentDir, spy);
	settings.load();
	writeFileSync(pi.path, "{ broken");
	assert.match(settings.change({ chainCompression: { rollingWindow: 7 } }) ?? "", /not valid JSON/);
	assert.deepEqual(raws.at(-1), { chainCompression: { enabled: false, fuseRangeSummary: false, rollingWindow: 7 } });
	assert.equal(readFileSync(pi.path, "utf8"), "{ broken");
});
