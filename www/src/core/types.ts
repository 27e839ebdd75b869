// The shapes that the core answers with, under the names the page has for them. They come from its generated `.d.ts`.

import type {
	MessageView,
	ReplayOverview,
	ReplayText,
	ReplayTotals,
	RequestColumn,
	RequestOutline,
	RequestRow,
	SettingRow,
} from "../../wasm/decant.js";

export type { MessageView, RequestColumn, SettingRow };

export type Side = "before" | "after";
export type Overview = ReplayOverview;
export type Totals = ReplayTotals;
export type WholeMessage = ReplayText;
export type Answer = ReplayText & { found: boolean };
export type Image = ReplayText["images"][number];
export type Outline = RequestOutline;
export type Row = RequestRow;
export type Change = NonNullable<Row["change"]>;
export type MapPart = RequestOutline["map"][number];

export interface Requests {
	count: number;
	columns: Record<RequestColumn, Float64Array>;
}

export interface Problem {
	key: string;
	message: string;
}
