// The figures the demo prints, counted from the bodies the server received, and the check that they are true.

import assert from "node:assert/strict";
import { prices } from "../harness/sandbox.ts";
import type { ModelRequest } from "../harness/server.ts";
import type { Play } from "./play.ts";

export interface Figures {
	requests: number;
	/** Prompt tokens, those of them cached, and tokens of the replies. */
	input: number;
	cached: number;
	output: number;
	/** Dollars. */
	money: number;
}

export function moneyOf(input: number, cached: number, output: number): number {
	return ((input - cached) * prices.input + cached * prices.cacheRead + output * prices.output) / 1e6;
}

export function figuresOf(requests: readonly ModelRequest[]): Figures {
	const sum = (pick: (request: ModelRequest) => number) => requests.reduce((total, each) => total + pick(each), 0);
	const [input, cached, output] = [sum((each) => each.tokens), sum((each) => each.cached), sum((each) => each.output)];
	return { requests: requests.length, input, cached, output, money: moneyOf(input, cached, output) };
}

/** A second count that shares nothing with the server's: over the raw bytes, one character at a time. */
function recount(requests: readonly ModelRequest[]): { tokens: number; cached: number }[] {
	const seen: string[] = [];
	return requests.map(({ raw }) => {
		const body = JSON.parse(raw) as { tools?: object[]; messages: object[] };
		let text = JSON.stringify(body.tools ?? []);
		for (const message of body.messages) text += `\n${JSON.stringify(message)}`;
		let longest = 0;
		for (const earlier of seen) {
			let at = 0;
			while (at < text.length && at < earlier.length && text.charCodeAt(at) === earlier.charCodeAt(at)) at++;
			if (at > longest) longest = at;
		}
		seen.push(text);
		return { tokens: Math.floor((text.length + 3) / 4), cached: (longest - (longest % 4)) / 4 };
	});
}

/** Throws unless every figure equals the second count and what pi itself booked in its session file. */
export function check(play: Play): number {
	const counted = recount(play.requests);
	for (const [at, request] of play.requests.entries())
		assert.deepEqual({ tokens: request.tokens, cached: request.cached }, counted[at], `request ${at} counted twice`);
	const agent = play.requests.filter((request) => request.kind === "agent");
	assert.equal(agent.length, play.beats.length, "a request for each beat of the script, and no other");
	assert.equal(play.booked.length, agent.length, "pi booked each reply");
	for (const [at, request] of agent.entries()) {
		const { input, cacheRead, output, cost } = play.booked[at] as Play["booked"][number];
		assert.deepEqual(
			[input + cacheRead, cacheRead, output],
			[request.tokens, request.cached, request.output],
			`reply ${at}`,
		);
		assert.ok(
			Math.abs(cost.total - moneyOf(request.tokens, request.cached, request.output)) < 1e-9,
			`cost of reply ${at}`,
		);
	}
	const total = play.booked.reduce((sum, each) => sum + each.cost.total, 0);
	assert.ok(Math.abs(total - figuresOf(agent).money) < 1e-9, "the sum of pi's costs");
	return play.requests.length;
}
