// The parts of a request's window: names for people and colours, the same in timeline, map and lists.

export const kinds = ["system", "tools", "user", "assistant", "thinking", "arguments", "results", "summaries"] as const;

export type Kind = (typeof kinds)[number];

const names: Record<string, string> = {
	system: "System prompt",
	tools: "Tools",
	user: "User",
	assistant: "Assistant text",
	thinking: "Thinking",
	arguments: "Arguments",
	results: "Results",
	summaries: "Summaries",
	saved: "Saved",
};

export const kindName = (kind: string) => names[kind] ?? kind;

/** The custom property of `base.css` that holds the colour. */
export const kindColor = (kind: string) => `var(--kind-${kind in names ? kind : "other"})`;

/** The kind that the core counts a message's own text as; what an extension or the shell says is the user's side. */
export function kindOfRole(role: string): Kind {
	if (role === "toolResult") return "results";
	if (role === "compactionSummary" || role === "branchSummary") return "summaries";
	return role === "assistant" || role === "system" ? role : "user";
}
