import type { Api, Model } from "@earendil-works/pi-ai";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { pick } from "../ui/picker.ts";
import { say } from "../ui/say.ts";
import { changeFromText } from "./change.ts";
import type { Call, Completion, Subcommand } from "./subcommand.ts";

/** The models a session offers. */
export type Models = Pick<ExtensionContext["modelRegistry"], "find" | "getAvailable" | "hasConfiguredAuth">;

/** What a text names as summarizer. */
export type NamedModel =
	| { ok: true; model: string; thinking?: string; warning?: string }
	| { ok: false; problem: string };

/** The setting's value for the model of the session. */
const SESSION_MODEL = "default";

export const model: Subcommand = {
	name: "model",
	usage: "[id[:thinking]]",
	summary: "the model that writes the summaries",
	run: setOrPick,
	complete: (control, typed) => {
		const context = control.context();
		const names: Completion[] = [{ value: SESSION_MODEL, description: "the session's model" }];
		if (context) names.push(...modelNames(context.modelRegistry).map((value) => ({ value })));
		return names.filter(({ value }) => value.toLowerCase().includes(typed.toLowerCase()));
	},
};

/** The models with working credentials, as `provider/id`. */
export function modelNames(models: Pick<Models, "getAvailable">): string[] {
	return models.getAvailable().map(nameOf);
}

async function setOrPick(call: Call): Promise<void> {
	const { control, ctx, args } = call;
	const now = control.config().summarizerModel;
	const wish = args === "" ? await picked(call, now) : args;
	if (wish === undefined) {
		const session = ctx.model ? ` (${nameOf(ctx.model)})` : "";
		const what = now === SESSION_MODEL ? `the session's model${session}` : now;
		say(
			ctx,
			`pi-decant: summaries are written by ${what}, thinking ${control.config().summarizerThinking}. /pruner model provider/id chooses another; a cheap one will do.`,
		);
		return;
	}
	const levels = control.settings().row("summarizerThinking")?.choices ?? [];
	const named = nameModel(wish, ctx.modelRegistry, levels);
	if (!named.ok) {
		say(ctx, `pi-decant: ${named.problem}`, "warning");
		return;
	}
	const changes = [set(call, "summarizerModel", named.model)];
	if (named.thinking !== undefined) changes.push(set(call, "summarizerThinking", named.thinking));
	const level = named.warning || changes.some((each) => each.level === "warning") ? "warning" : "info";
	say(ctx, `pi-decant: ${[...changes.map(({ text }) => text), named.warning ?? ""].join(" ").trim()}`, level);
}

function set({ control, ctx }: Call, key: string, text: string) {
	const row = control.settings().row(key);
	if (!row) return { ok: false, text: `${key} is unknown to the core.`, level: "warning" as const };
	return changeFromText(control, ctx, row, text);
}

function picked(call: Call, now: string): Promise<string | undefined> {
	const names = modelNames(call.ctx.modelRegistry);
	const session = call.ctx.model ? nameOf(call.ctx.model) : "none is selected";
	return pick(call, "Model for summaries", {
		items: [
			{ value: SESSION_MODEL, label: SESSION_MODEL, description: `the session's model: ${session}` },
			...names.map((name) => ({ value: name, label: name })),
		],
		current: now,
	});
}

/**
 * Reads `provider/id`, an id alone where only one provider has it, or `default`, each with `:level` after it or not.
 *
 * The whole text is tried first: ids contain colons (`vendor/name:free`), and the original could not set those.
 */
export function nameModel(text: string, models: Models, levels: readonly string[]): NamedModel {
	const whole = lookUp(text, models);
	if (whole.ok) return whole;
	const colon = text.lastIndexOf(":");
	const level = text.slice(colon + 1);
	if (colon < 0 || !levels.includes(level)) return whole;
	const named = lookUp(text.slice(0, colon), models);
	return named.ok ? { ...named, thinking: level } : whole;
}

function lookUp(text: string, models: Models): NamedModel {
	if (text === SESSION_MODEL) return { ok: true, model: SESSION_MODEL };
	const slash = text.indexOf("/");
	const found = slash > 0 ? models.find(text.slice(0, slash), text.slice(slash + 1)) : undefined;
	if (found) return named(found, models);
	const byId = models.getAvailable().filter(({ id }) => id.toLowerCase() === text.toLowerCase());
	if (byId.length > 1) {
		return { ok: false, problem: `"${text}" is offered by several providers: ${byId.map(nameOf).join(", ")}.` };
	}
	const only = byId[0];
	if (only) return named(only, models);
	const near = modelNames(models)
		.filter((name) => name.toLowerCase().includes(text.toLowerCase()))
		.slice(0, 5);
	const hint = near.length > 0 ? `Near: ${near.join(", ")}.` : "Expected provider/id, as /model lists them.";
	return { ok: false, problem: `pi knows no model "${text}". ${hint}` };
}

function named(found: Model<Api>, models: Models): NamedModel {
	const name = { ok: true, model: nameOf(found) } as const;
	if (models.hasConfiguredAuth(found)) return name;
	return { ...name, warning: `There are no credentials for ${found.provider} yet; /login adds them.` };
}

function nameOf({ provider, id }: Pick<Model<Api>, "provider" | "id">): string {
	return `${provider}/${id}`;
}
