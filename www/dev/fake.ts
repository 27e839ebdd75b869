// development only
export { settingsSchema } from "../wasm/decant.js";

import init from "../wasm/decant.js";
export default init;
let s = 7;
const rnd = () => {
	s = (s * 1103515245 + 12345) >>> 0;
	return (s >>> 8) / 16777216;
};
const N = 180;
const kinds = ["system", "user", "assistant", "thinking", "arguments", "results", "summaries"];
export class Replay {
	c: any = {};
	n = N;
	constructor(bytes: Uint8Array, _s: any, p?: any) {
		for (let i = 0; i <= 20; i++) {
			p?.((i * bytes.length) / 20, bytes.length);
			const t = Date.now();
			while (Date.now() - t < 30);
		}
		const text = new TextDecoder().decode(bytes.subarray(0, 100));
		if (!text.includes("{")) {
			const e: any = new Error(
				"expected a transcript of pi, Claude Code, Codex, OpenCode or chat rows; found text that is no JSON.",
			);
			e.code = "not-a-transcript";
			throw e;
		}
		for (const k of [
			"timestamp",
			"sentOff",
			"cachedOff",
			"freshOff",
			"sentOn",
			"cachedOn",
			"freshOn",
			"rewriteOn",
			...kinds,
		])
			this.c[k] = new Float64Array(N);
		let off = 9000,
			res = 500,
			ass = 200,
			thi = 100,
			arg = 100,
			sum = 0,
			usr = 200,
			hid = 0,
			prevOn = 0,
			prevOff = 0;
		for (let i = 0; i < N; i++) {
			const r = rnd() ** 3 * 6000 + 100;
			res += r;
			ass += 100 + rnd() * 200;
			thi += rnd() * 300;
			arg += rnd() * 250;
			let rw = -1;
			if (i % 23 === 22) {
				const g = res * 0.85;
				res -= g;
				sum += g * 0.06;
				hid += g;
				rw = 0;
				usr += 150;
			}
			if (i === 77) rw = 1;
			const on = 9000 + usr + ass + thi + arg + res + sum;
			off = 9000 + usr + ass + thi + arg + res + hid;
			const fOn = rw >= 0 ? on - 9200 : i ? on - prevOn : on;
			const fOff = rw === 1 ? off : i ? off - prevOff : off;
			Object.entries({
				timestamp: 1.76e12 + i * 40000,
				sentOff: off,
				cachedOff: off - fOff,
				freshOff: fOff,
				sentOn: on,
				cachedOn: on - fOn,
				freshOn: fOn,
				rewriteOn: rw,
				system: 9000,
				user: usr,
				assistant: ass,
				thinking: thi,
				arguments: arg,
				results: res,
				summaries: sum,
			}).forEach(([k, v]) => {
				this.c[k][i] = v;
			});
			prevOn = on;
			prevOff = off;
		}
	}
	overview() {
		return {
			format: "pi-v3",
			title: "Fix the flaky watcher test",
			bytes: 4.2e6,
			entries: 612,
			messages: 540,
			model: "claude-sonnet-4-5",
			provider: "anthropic",
			leaves: [
				{ id: "a", label: "Now run the tests again", messages: 540 },
				{ id: "b", label: "Try it without the debounce", messages: 210 },
			],
			leaf: "a",
			notUnderstood: [{ what: 'entry of type "x_marker"', count: 4 }],
			nextOff: this.c.sentOff[N-1]+2000, nextOn: this.c.sentOn[N-1]*0.7, hasDecisions: true, findings: [
				{
					line: 17,
					entry: "1a2b3c4d",
					kind: "missing-result",
					message: "call bash has no result",
					render: "left as it is",
				},
				{ line: 203, kind: "torn", message: "an entry is cut off; 120 bytes are lost", render: "passed over" },
			],
		};
	}
	selectLeaf() {}
	free() {}
	setSettings(x: any) {
		return {
			problems:
				x?.minBatchChars < 0
					? [{ key: "minBatchChars", message: "minBatchChars: expected a number of at least 0; using 1000" }]
					: [],
		};
	}
	requests() {
		return { count: N, columns: this.c };
	}
	rewriteReasons() {
		return ["flush", "cache expired"];
	}
	totals() {
		const t = (o: string) => {
			const S = (k: string) => this.c[k + o].reduce((a: number, b: number) => a + b, 0);
			return {
				requests: N,
				sent: S("sent"),
				cached: S("cached"),
				fresh: S("fresh"),
				largest: Math.max(...this.c["sent"+o]), rewrites: o==="On"?9:1, summaries: { calls: 8, recorded: 5, deterministic: 3 },
			};
		};
		return { off: t("Off"), on: t("On") };
	}
	request(i: number) {
		const rows: any[] = [];
		let k = 0;
		for (let j = 0; j <= i; j++) {
			const base = (role: string, units: number, preview: string, extra: any = {}) => ({
				index: k,
				role,
				units,
				images: 0,
				preview,
				...extra,
			});
			if (j % 12 === 0) {
				const m = base(
					"user",
					120,
					"Please <script>alert(1)</script> look at why the watcher test fails about one time in five, and fix it without raising the time-out.",
				);
				rows.push({ before: m, after: m });
				k++;
			}
			const a = base("assistant", 480, `I will read src/watch/${j}.ts next.\nread {"path":"src/watch/${j}.ts"}`);
			rows.push({ before: a, after: a });
			k++;
			const tool = ["read", "bash", "grep", "edit"][j % 4];
			const r = base(
				"toolResult",
				5200,
				`import { watch } from "node:fs";\nexport function start(path: string) {\n\tconst timers = new Map();\n\treturn watch(path, () => {});\n}\n// line ${j}`,
				{ tool, callId: "c" + j, images: j % 30 === 5 ? 1 : 0 },
			);
			const old = j < i - (i % 23) - 1;
			rows.push(
				old
					? {
							before: r,
							after: {
								...r,
								units: 130,
								images: 0,
								preview: `[${tool} src/watch/${j}.ts pruned: 5,200 characters; context_tree_query t${j}]`,
							},
							change: {
								what: "stub",
								why: "summarized with its batch when the agent had replied",
								savedTokens: 1267,
								ref: "t" + j,
							},
						}
					: { before: r, after: r },
			);
			k++;
			if (old && j % 12 === 11)
				rows.push({
					after: base(
						"user",
						640,
						"Summary of t1 to t12:\nThe watcher keeps one timer a path; the test races with the debounce.",
					),
					change: { what: "summary", why: "stands for t1..t12", savedTokens: -160, ref: "t1" },
				});
		}
		return {
			rows,
			map: [
				...kinds.flatMap((kind) =>
					kind === "results"
						? ["read", "bash", "grep", "edit"].map((label, q) => ({
								kind,
								label,
								tokens: this.c.results[i] * [0.5, 0.3, 0.15, 0.05][q]!,
							}))
						: [{ kind, label: kind, tokens: this.c[kind][i] }],
				),
				{ kind: "saved", label: "saved", tokens: this.c.sentOff[i] - this.c.sentOn[i] },
			],
		};
	}
	message(i: number, index: number, side: string) {
		return {
			text: side === "before" ? "line one\nline two\n" + "x".repeat(3000) : "[pruned, t3]\nline two\n",
			images:
				side === "before" && index % 3 === 0
					? [
							{
								data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
								mimeType: "image/png",
							},
						]
					: [],
		};
	}
	query(_i: number, id: string) {
		return {
			text: id.startsWith("t")
				? "The whole original of " + id + "\n" + "data ".repeat(400)
				: "Nothing is archived under " + id,
			found: id.startsWith("t"),
			images: [],
		};
	}
	explainCache(i: number) {
		return [
			`Request ${i + 1} has 45,120 tokens; 43,000 of them stood in the same order at the beginning of request ${i}, 40 seconds before.`,
			"A cached token costs a tenth of a fresh one; one changed early message makes all after it fresh.",
		];
	}
	exportRendered() {
		return JSON.stringify([{ role: "user", content: "hi" }], null, 1);
	}
	report() {
		return "# Report\n\nx";
	}
	settingsJson() {
		return '{\n  "contextPrune": {}\n}';
	}
}
