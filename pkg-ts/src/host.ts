import type * as PiCodingAgent from "@earendil-works/pi-coding-agent";
import type * as PiTui from "@earendil-works/pi-tui";

/** What `index.ts` hands over: pi's own copies of its packages, which a bundle could not import by itself. */
export interface Host {
	piCodingAgent: Pick<
		typeof PiCodingAgent,
		"VERSION" | "getAgentDir" | "DynamicBorder" | "getMarkdownTheme" | "getSelectListTheme" | "getSettingsListTheme"
	>;
	piTui: Pick<
		typeof PiTui,
		| "Container"
		| "Input"
		| "Loader"
		| "Markdown"
		| "SelectList"
		| "SettingsList"
		| "Spacer"
		| "Text"
		| "TruncatedText"
		| "fuzzyFilter"
		| "matchesKey"
		| "truncateToWidth"
		| "visibleWidth"
	>;
	/** URL of the file pi loaded. */
	entryUrl: string;
}

/** Part of pi's session manager that is read here; a `Pick` so that tests can stand in for it. */
export type SessionView = Pick<
	PiCodingAgent.ExtensionContext["sessionManager"],
	"getLeafId" | "getEntry" | "getBranch" | "getSessionFile" | "getSessionDir" | "getSessionId"
>;

/**
 * Whether pi has `context_with_system` (0.87 and later): the only hook that can drop or insert messages without
 * collapsing mid-conversation system messages into one, which would cost the whole prefix cache.
 */
export function hasContextWithSystem(version: string): boolean {
	const [major = 0, minor = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
	return major > 0 || minor >= 87;
}
