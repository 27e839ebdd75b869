import type { AssistantMessage, Usage } from "@earendil-works/pi-ai";
import type { Summary, SummaryUsage } from "../boundary.ts";

/**
 * Why a call gave no summary.
 *
 * - `auth`: pi could not resolve the model or its credentials; nothing was sent.
 * - `transient`: the provider failed, or was too slow. The only kind that says something about its health.
 * - `unusable`: an answer came and is no summary.
 * - `aborted`: the user or the end of the session took the call back.
 */
export interface CallFailure {
	kind: "auth" | "transient" | "unusable" | "aborted";
	/** Names the model. */
	message: string;
	/** What the call cost all the same. */
	usage?: SummaryUsage;
}

/** A label as the prompt gives it to each call; anywhere in a line, since models echo them everywhere. */
const LABEL = /\[\[\d+:[^\]\n]+\]\]/g;

/** What pi-ai says when it cannot resolve a model's credentials; its error code does not survive the stream. */
const AUTH = /^(Provider is not configured|Unknown provider|No API key|OAuth |API key auth|Credential store)/;

/** Takes a summary only if it is whole: text, nothing but text, and not cut by the output limit. */
export function judge(message: AssistantMessage, name: string): Summary | CallFailure {
	const usage = usageOf(message.usage);
	const failure = (kind: CallFailure["kind"], what: string): CallFailure => ({
		kind,
		message: `${name} ${what}`,
		...(usage ? { usage } : {}),
	});
	if (message.stopReason === "aborted") return failure("aborted", "was aborted");
	if (message.stopReason === "error") {
		const why = firstLine(message.errorMessage ?? "the provider reported an error");
		return AUTH.test(why) ? failure("auth", `cannot be used: ${why}`) : failure("transient", `failed: ${why}`);
	}
	if (message.stopReason === "length") return failure("unusable", "ran into its output limit");
	if (message.content.some((block) => block.type === "toolCall")) {
		return failure("unusable", "called a tool instead of summarizing");
	}
	if (message.stopReason !== "stop") return failure("unusable", `did not finish (${message.stopReason})`);
	const text = message.content
		.flatMap((block) => (block.type === "text" ? [block.text] : []))
		.join("")
		.trim();
	if (text === "") return failure("unusable", "gave an empty summary");
	if (!/[\p{L}\p{N}]/u.test(text.replace(LABEL, ""))) return failure("unusable", "gave labels without a summary");
	return { text, ...(usage ? { usage } : {}) };
}

/** Tokens in (from the cache or not), tokens out, dollars; `undefined` where nothing was used or nothing is known. */
export function usageOf(usage: Usage | undefined): SummaryUsage | undefined {
	if (!usage) return undefined;
	const input = finite(usage.input) + finite(usage.cacheRead) + finite(usage.cacheWrite);
	const output = finite(usage.output);
	const cost = finite(usage.cost?.total);
	return input + output + cost > 0 ? { input, output, cost } : undefined;
}

/** The sum of what several calls cost. */
export function sumUsage(...usages: (SummaryUsage | undefined)[]): SummaryUsage | undefined {
	const known = usages.filter((usage) => usage !== undefined);
	if (known.length === 0) return undefined;
	const sum = { input: 0, output: 0, cost: 0 };
	for (const { input, output, cost } of known) {
		sum.input += input;
		sum.output += output;
		sum.cost += cost;
	}
	return sum;
}

function finite(n: number | undefined): number {
	return n !== undefined && Number.isFinite(n) && n > 0 ? n : 0;
}

/** Providers put whole pages into their error messages; a notice is one line. */
export function firstLine(text: string): string {
	const line = text.trim().split("\n", 1).join();
	return line.length > 200 ? `${line.slice(0, 199).replace(/[\uD800-\uDBFF]$/, "")}…` : line;
}
