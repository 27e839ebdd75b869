// What the worker answers with. The types of the core itself come from its generated `.d.ts`.

export type Side = "before" | "after";

export interface Finding {
	line?: number;
	entry?: string;
	kind: string;
	message: string;
	render: string;
}

export interface Overview {
	format: string;
	title?: string;
	bytes: number;
	entries: number;
	messages: number;
	model?: string;
	provider?: string;
	leaves: { id: string; label: string; messages: number }[];
	leaf: string;
	notUnderstood: { what: string; count: number }[];
	findings: Finding[];
	hasDecisions: boolean;
	nextOff: number;
	nextOn: number;
}

export interface Requests {
	count: number;
	columns: { [name: string]: Float64Array };
}

export interface Totals {
	requests: number;
	sent: number;
	cached: number;
	fresh: number;
	/** The largest request. */
	largest: number;
	/** Requests in which something was not as it had been sent before. */
	rewrites: number;
	summaries: { calls: number; recorded: number; deterministic: number };
}

export interface MessageView {
	index: number;
	role: string;
	tool?: string;
	callId?: string;
	units: number;
	images: number;
	preview: string;
}

export interface Change {
	what: string;
	why: string;
	savedTokens: number;
	ref?: string;
}

export interface Row {
	before?: MessageView;
	after?: MessageView;
	change?: Change;
}

export interface MapPart {
	kind: string;
	label: string;
	tokens: number;
}

export interface RequestView {
	rows: Row[];
	map: MapPart[];
}

export interface Image {
	data: string;
	mimeType: string;
}

export interface WholeMessage {
	text: string;
	images: Image[];
}

export interface Answer extends WholeMessage {
	found: boolean;
}

export interface Problem {
	key: string;
	message: string;
}

export interface SettingRow {
	key: string;
	kind: "boolean" | "count" | "fraction" | "choice" | "list" | "model";
	default: unknown;
	nullable: boolean;
	choices?: string[];
	presets?: number[];
	help: string;
	command?: string;
}
