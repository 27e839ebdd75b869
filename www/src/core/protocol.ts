// What page and worker say to each other. One worker has one transcript.

import type { Change as Piece } from "diff";
import type {
	Answer,
	Outline,
	Overview,
	Problem,
	Requests,
	Row,
	SettingRow,
	Side,
	Totals,
	WholeMessage,
} from "./types.ts";

/** What is drawn of a whole session under one branch and one set of settings. */
export interface Picture {
	overview: Overview;
	requests: Requests;
	reasons: string[];
	totals: { off: Totals; on: Totals };
}

/** What was there once and is not any more, or the other way round; without a mark where both have it. */
export type DiffPiece = Pick<Piece, "value" | "added" | "removed">;

/** Everything the page can ask for. */
export interface Calls {
	open(file: Blob, settings: object): { picture: Picture; problems: Problem[]; schema: SettingRow[] };
	selectLeaf(id: string): Picture;
	setSettings(settings: unknown): { picture?: Picture; problems: Problem[] };
	request(i: number): Outline;
	rows(i: number, places: Uint32Array): Row[];
	message(i: number, index: number, side: Side): WholeMessage;
	diff(i: number, before: number, after: number): DiffPiece[];
	query(i: number, id: string): Answer;
	explainCache(i: number): string[];
	exportRendered(i: number): string;
	report(): string;
	settingsJson(): string;
}

export type Method = keyof Calls;

export interface Ask {
	id: number;
	method: Method;
	args: unknown[];
}

export type Reply =
	| { id: number; value: unknown }
	| { id: number; error: { code: string; message: string } }
	| { progress: { done: number; total: number } };
