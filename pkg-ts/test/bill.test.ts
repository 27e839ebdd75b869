import assert from "node:assert/strict";
import { test } from "node:test";
import { Bill } from "../src/flush/bill.ts";

test("totals since the start, told when they have changed", () => {
	const bill = new Bill();
	assert.equal(bill.news(), undefined);
	bill.add({ input: 100, output: 10, cost: 0.25 });
	bill.add(undefined);
	assert.deepEqual(bill.news(), { source: "pi-decant", totalCost: 0.25, inputTokens: 100, outputTokens: 10 });
	assert.equal(bill.news(), undefined);
	bill.add({ input: 1, output: 0, cost: 0 });
	assert.equal(bill.news()?.inputTokens, 101);
	bill.reset();
	assert.equal(bill.news(), undefined);
});

test("what no epoch has accounted for stays owed", () => {
	const bill = new Bill();
	bill.add({ input: 100, output: 10, cost: 0.25 });
	assert.deepEqual(bill.unwritten, { input: 100, output: 10, cost: 0.25 });
	bill.written();
	bill.add({ input: 1, output: 2, cost: 3 });
	assert.deepEqual(bill.unwritten, { input: 1, output: 2, cost: 3 });
});
