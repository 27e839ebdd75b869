import type { Api, Model } from "@earendil-works/pi-ai";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** The models a session offers. */
export type ModelSource = Pick<ExtensionContext, "model"> & {
	modelRegistry: Pick<ExtensionContext["modelRegistry"], "find">;
};

/** A model to summarize with. */
export interface ModelChoice {
	/** Absent: the session has no model. */
	model: Model<Api> | undefined;
	/** For the user, where the setting could not be followed. */
	warning?: string;
}

/** `default` is the session's model; `provider/id` is split at the first slash, since ids contain slashes. */
export function chooseModel(setting: string, source: ModelSource): ModelChoice {
	if (setting === "default" || setting === "") return { model: source.model };
	const slash = setting.indexOf("/");
	const found = slash > 0 ? source.modelRegistry.find(setting.slice(0, slash), setting.slice(slash + 1)) : undefined;
	if (found) return { model: found };
	const used = source.model ? modelName(source.model) : "no model";
	return {
		model: source.model,
		warning: `pi-decant: the summarizer model "${setting}" is not one pi knows (expected "provider/id"); using ${used}. /pruner model sets another.`,
	};
}

/** `provider/id`, as the setting and the user write it. */
export function modelName(model: Pick<Model<Api>, "provider" | "id">): string {
	return `${model.provider}/${model.id}`;
}
