import type { ExtensionAPI, ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { QueryAnswer } from "../boundary.ts";

/** The original's name: the stubs in sessions written by it name it. */
export const TOOL_NAME = "context_tree_query";

/** Plain JSON schema; `typebox` is not needed at run time. */
const PARAMETERS = {
	type: "object",
	properties: {
		toolCallIds: {
			type: "array",
			items: { type: "string" },
			description:
				'Refs as summaries and stubs show them: ["t3", "t4"] for outputs, ["b1"] for all that a block replaced; tool call ids work too.',
		},
		offset: {
			type: "integer",
			minimum: 0,
			description: "Where to go on in a long output: the number the previous answer ended with.",
		},
		limit: { type: "integer", minimum: 1, description: "How much of it to return at most, in characters." },
	},
	required: ["toolCallIds"],
} as const;

interface QueryParameters {
	toolCallIds: string[];
	offset?: number;
	limit?: number;
}

/** Answers a query; a string is the reason why it cannot. */
export type AnswerQuery = (ids: string[], page: { offset?: number; limit?: number }) => QueryAnswer | string;

/** Registers the tool that gives the model an original back. Returns its schema, by which pi's list shows it to be ours. */
export function registerQueryTool(pi: Pick<ExtensionAPI, "registerTool">, answer: AnswerQuery): object {
	const parameters = structuredClone(PARAMETERS);
	const tool: Omit<ToolDefinition, "parameters"> & { parameters: unknown } = {
		name: TOOL_NAME,
		label: "Recall tool output",
		description:
			"Returns the full original output of earlier tool calls that were replaced by a summary, or all that a compressed block stands for. Use it when a summary lacks a detail you need.",
		promptSnippet: "Get the full original output of summarized tool calls back by ref (t1, t2, ...), or a block's (b1)",
		parameters,
		annotations: { readOnlyHint: true },
		prepareArguments: (args) => prepare(args) as never,
		execute: async (_id, params) => {
			const { toolCallIds, offset, limit } = params as QueryParameters;
			const ids = toolCallIds.map((id) => id.trim()).filter((id) => id !== "");
			if (ids.length === 0) return failure('toolCallIds is empty; name at least one ref, such as ["t1"].');
			const page = { ...(offset === undefined ? {} : { offset }), ...(limit === undefined ? {} : { limit }) };
			const found = answer(ids, page);
			return typeof found === "string" ? failure(found) : found;
		},
	};
	pi.registerTool(tool as ToolDefinition);
	return parameters;
}

/** Models write a single ref as a string now and then. */
function prepare(args: unknown): unknown {
	if (typeof args !== "object" || args === null || !("toolCallIds" in args)) return args;
	const ids = args.toolCallIds;
	return typeof ids === "string" ? { ...args, toolCallIds: ids.split(/[\s,]+/) } : args;
}

function failure(text: string) {
	return { content: [{ type: "text" as const, text }], details: { results: [] }, isError: true };
}
