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

/** The kind whose colour a message has in lists. */
export function kindOfRole(role: string): string {
	if (role === "toolResult" || role === "bashExecution") return "results";
	return role === "assistant" || role === "system" || role === "user" ? role : "other";
}
