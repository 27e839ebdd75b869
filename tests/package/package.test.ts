// The npm package as a user gets it: packed, installed with `pi install`, run.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { answers, investigate, projectFiles, recover } from "../harness/fixtures.ts";
import { refOfStub } from "../harness/marks.ts";
import { packageDir, requireBuild } from "../harness/paths.ts";
import { runPi, runPiCommand } from "../harness/pi.ts";
import { recoveredBody, resultsOf } from "../harness/pruned.ts";
import { createSandbox } from "../harness/sandbox.ts";
import { scratch } from "../harness/scratch.ts";
import { type ModelRequest, startServer, textOf } from "../harness/server.ts";
import { startRegistry } from "./registry.ts";

requireBuild();

const expected = [
	"CHANGELOG.md",
	"LICENSE",
	"README.md",
	"dist/bundle.js",
	"dist/decant_bg.wasm",
	"index.ts",
	"package.json",
];

const folder = scratch("pi-decant-pack-");
const packed = folder.path;
after(() => folder.remove());
const [listing] = JSON.parse(
	execFileSync("npm", ["pack", "--json", "--pack-destination", packed], {
		cwd: packageDir,
		encoding: "utf8",
		stdio: ["ignore", "pipe", "ignore"],
		env: {
			...process.env,
			npm_config_cache: join(packed, "npm-cache"),
			npm_config_update_notifier: "false",
		},
	}),
) as [{ filename: string; files: { path: string }[]; unpackedSize: number }];
const manifest = JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8")) as {
	name: string;
	version: string;
	dependencies?: object;
	peerDependencies: Record<string, string>;
};

describe("npm pack", () => {
	it("holds what it should and nothing else", () => {
		assert.deepEqual(listing.files.map(({ path }) => path).sort(), expected);
	});

	it("asks for nothing to be installed beside it", () => {
		assert.equal(manifest.dependencies, undefined);
		for (const range of Object.values(manifest.peerDependencies)) assert.equal(range, "*");
	});

	it("imports no host package from its bundle: pi would not get its own copy there", () => {
		const bundle = readFileSync(join(packageDir, "dist", "bundle.js"), "utf8");
		const imports = [...bundle.matchAll(/^\s*(?:import|export)\b[^;]*?\bfrom\s*["']([^"']+)["']/gm)].map(
			(match) => match[1],
		);
		assert.deepEqual(
			imports.filter((name) => !name?.startsWith("node:")),
			[],
		);
		assert.doesNotMatch(bundle, /(?:require|import)\(\s*["'](?:typebox|@earendil-works)/);
	});
});

describe("pi install npm:pi-decant", () => {
	it("from a registry, then runs a session with decoys nearby", async (t) => {
		const registry = await startRegistry(join(packed, listing.filename), manifest);
		const server = await startServer({ agent: [...investigate, ...recover("t2")] });
		// No contextPrune here: installing is switching on.
		const sandbox = createSandbox({ url: server.url, files: projectFiles });
		t.after(async () => {
			await Promise.all([registry.close(), server.close()]);
			sandbox.remove();
		});
		const npm = {
			npm_config_registry: registry.url,
			npm_config_cache: join(sandbox.root, "npm-cache"),
			npm_config_update_notifier: "false",
			PI_OFFLINE: undefined,
		};
		const install = await runPiCommand(sandbox, ["install", `npm:${manifest.name}`], { env: npm });
		assert.equal(install.exitCode, 0, install.stdout + install.stderr);
		const settings = JSON.parse(readFileSync(sandbox.settingsPath, "utf8"));
		assert.deepEqual(settings.packages, [`npm:${manifest.name}`]);
		assert.deepEqual(
			registry.asked.filter((path) => !path.includes(manifest.name)),
			[],
			"nothing else was asked for",
		);

		const modules = join(sandbox.agentDir, "npm", "node_modules");
		const decoys = [
			"typebox",
			...["pi-ai", "pi-coding-agent", "pi-agent-core", "pi-tui"].map((name) => `@earendil-works/${name}`),
		];
		for (const name of decoys) {
			const folder = join(modules, name);
			mkdirSync(folder, { recursive: true });
			writeFileSync(
				join(folder, "package.json"),
				JSON.stringify({ name, version: "0.0.1", type: "module", main: "index.js" }),
			);
			writeFileSync(join(folder, "index.js"), `throw new Error("the decoy of ${name} was imported");\n`);
		}

		const run = await runPi(sandbox, {
			prompts: ["Why does the parser fail?", "Anything else?"],
			discover: true,
			env: { PI_DECANT_TEST: "1" },
		});
		assert.equal(run.exitCode, 0, run.stderr);
		assert.equal(run.stdout.trim(), answers.second);
		assert.doesNotMatch(run.stderr, /decoy/);
		const welcome = run.stderr.split("\n").filter((line) => line.includes("/pruner off"));
		assert.equal(welcome.length, 1, `the first session says in one line that it is on:\n${run.stderr}`);
		assert.equal(server.of("agent").length, 5);
		assert.ok(run.entries.some((entry) => entry.customType === "context-prune-epoch"));

		server.reset();
		server.script({ agent: recover("t2") });
		const again = await runPi(sandbox, { prompts: ["And the log?"], discover: true, args: ["-c"] });
		assert.equal(again.exitCode, 0, again.stderr);
		assert.doesNotMatch(again.stderr, /\/pruner off/, "said once");
		const [asked, answered] = server.of("agent") as [ModelRequest, ModelRequest];
		assert.deepEqual(asked.body.messages.flatMap((message) => refOfStub(textOf(message)) ?? []).slice(0, 3), [
			"t1",
			"t2",
			"t3",
		]);
		const original = recoveredBody(resultsOf(answered.body, "context_tree_query").at(-1) ?? "");
		assert.ok(original.startsWith((projectFiles["src/render.ts"] as string).slice(0, 200)));
		assert.ok(original.includes((projectFiles["src/render.ts"] as string).trimEnd()));
	});
});
