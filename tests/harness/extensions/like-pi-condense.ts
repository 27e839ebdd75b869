// A test's own extension: what of pi-condense another extension can run into. It registers in its factory, as the
// original does, so a second tool of the same name in another factory would make pi exit.

interface Api {
	registerTool(tool: object): void;
	registerCommand(name: string, command: object): void;
	on(
		event: "session_start",
		handler: (event: unknown, ctx: { ui: { setStatus(key: string, text: string): void } }) => void,
	): void;
}

export default function piCondense(pi: Api): void {
	pi.registerTool({
		name: "context_tree_query",
		label: "Context tree query",
		description: "The other extension's query tool",
		parameters: {
			type: "object",
			properties: { toolCallIds: { type: "array", items: { type: "string" } } },
			required: ["toolCallIds"],
		},
		execute: async () => ({ content: [{ type: "text", text: "answered by the other extension" }], details: {} }),
	});
	pi.registerCommand("pruner", { description: "The other extension's command", handler: async () => {} });
	pi.on("session_start", (_event, ctx) => ctx.ui.setStatus("context-prune", "prune: OFF"));
}
