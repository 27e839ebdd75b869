// The texts that pi-decant puts into a request, by the words of the specification, never by its own code.

/** condense.md section 6, to the letter. */
export function stubText(ref: string): string {
	return `[Summarized in pruner summary, ref \`${ref}\`. Use context_tree_query to retrieve full output.]`;
}

/** All a result can become. */
const stubPatterns = {
	summarized:
		/^\[Summarized in pruner summary, ref `(?<ref>t\d+)`\. Use context_tree_query to retrieve full output\.\]/,
	/** Named by its own tool and path (B6), with the ref of the one it repeats. */
	same: /^\[[^\n]*: same output as `(?<original>t\d+)`, summarized there\. This call is ref `(?<ref>t\d+)`\. Use context_tree_query to retrieve full output\.\]/,
	spilled:
		/^\[Oversized output spilled to file — \d+ bytes\.\]\nTool: [^\n]+\nPreview \(head\):\n[\s\S]*\nFull output — read this file \(offset\/limit supported\): [^\n]+\nOr use context_tree_query with ref `(?<ref>t\d+)`\./,
	/** An output of the query tool itself: the call beside it names what it was. */
	recovered: /^\[Recovered output, shown here earlier\. Use context_tree_query with the same ids to see it again\.\]/,
};

export type StubKind = keyof typeof stubPatterns;

export interface Stub {
	kind: StubKind;
	/** Empty where the stub names none. */
	ref: string;
	/** The ref it repeats. */
	original?: string;
	text: string;
}

/** What stub a text begins with, if any. */
export function stubOf(text: string): Stub | undefined {
	for (const [kind, pattern] of Object.entries(stubPatterns)) {
		const found = pattern.exec(text);
		if (!found) continue;
		const { ref = "", original } = found.groups ?? {};
		return { kind: kind as StubKind, ref, text: found[0], ...(original ? { original } : {}) };
	}
	return undefined;
}

export function refOfStub(text: string): string | undefined {
	return stubOf(text)?.ref;
}

/** condense.md section 5: what every summary ends with. */
export function footerText(refs: readonly string[]): string {
	const list = refs.map((ref) => `\`${ref}\``).join(", ");
	return `\n\n---\n**Summarized tool refs**: ${list}\nUse \`context_tree_query\` with these refs to retrieve the original full outputs.`;
}

export function isSummary(text: string): boolean {
	return text.includes("**Summarized tool refs**:");
}

/** The message of a chain that became one text (condense.md section 9, "Synthetic"). */
export interface BlockText {
	id: string;
	refs: string[];
	/** Everything between the tags. */
	body: string;
}

export function blockOf(text: string): BlockText | undefined {
	const found =
		/^<compressed-chain id="(?<id>b\d+)" tools="(?<refs>(?:t\d+(?:,t\d+)*)?)">\n(?<body>[\s\S]*)\n<\/compressed-chain>$/.exec(
			text,
		);
	if (!found?.groups) return undefined;
	const { id = "", refs = "", body = "" } = found.groups;
	return { id, refs: refs === "" ? [] : refs.split(","), body };
}

/** A protected output inside a block, word for word. */
export function protectedText(tool: string, text: string): string {
	return `\n\n<protected-output tool="${tool}">\n${text}\n</protected-output>`;
}

/** The mark in the place of a failed call's arguments (condense.md section 10), given them as an object. */
export interface Purge {
	/** UTF-16 units of the arguments as JSON. */
	size: number;
	ref?: string;
}

export function purgeOf(args: unknown): Purge | undefined {
	if (typeof args !== "object" || args === null || Object.keys(args).join() !== "_purged") return undefined;
	const mark = (args as { _purged: unknown })._purged;
	const found = typeof mark === "string" && /^<purged-errored-args size="(\d+)"(?: ref="(t\d+)")?\/>$/.exec(mark);
	if (!found) return undefined;
	return { size: Number(found[1]), ...(found[2] ? { ref: found[2] } : {}) };
}
