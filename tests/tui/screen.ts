// What of a screen is ours, and what of it differs from run to run.

import { assertSnapshot, snapshot } from "../harness/snapshot.ts";
import type { Terminal } from "../harness/tmux.ts";

const FOLDER = new URL("./snapshots/", import.meta.url);

/** Clock times, the spinner's frame and temporary folders, as fixed text of the same width where columns depend on it. */
function normalized(text: string): string {
	return (
		text
			.replace(/\b\d\d:\d\d\b/g, "HH:MM")
			.replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "*")
			.replace(/\(1\/\d+\)/, "(1/N)")
			// How wide the labels are depends on the longest of them, on the screen or not.
			.replace(/^((?:→ | {2})\w+) {3,}(?=\S)/gm, "$1   ")
			.replace(/\/\S*pi-decant-test-\w+/g, "/sandbox")
			// What pi counts; the name of the working folder is in its requests.
			.replace(
				/(counted )\S+ tokens, \S+ of them from its cache, \$[\d.]+/g,
				"$1N tokens, N of them from its cache, $N",
			)
			.replace(/^↑\S+ .*\(auto\) /gm, (figures) => "pi's figures".padEnd(figures.length))
	);
}

/** The lines between the last two that fit, both included, without blanks at the ends of lines. */
export function part(screen: string, from: RegExp, to: RegExp): string {
	const lines = screen.split("\n").map((line) => line.trimEnd());
	const end = lines.findLastIndex((line) => to.test(line));
	const start = lines.findLastIndex((line, at) => at < end && from.test(line));
	if (start < 0 || end < 0) throw new Error(`no ${from} before ${to} on the screen:\n${screen}`);
	return lines.slice(start, end + 1).join("\n");
}

/** The panel that stands where the editor is: from the border above its title to the border below. */
export function panel(screen: string, title: string): string {
	const lines = screen.split("\n");
	const at = lines.findLastIndex((line) => line.startsWith(` ${title}`));
	const end = lines.findIndex((line, index) => index > at && /^─+$/.test(line));
	if (at < 1 || end < 0) throw new Error(`no panel "${title}" on the screen:\n${screen}`);
	return lines.slice(at - 1, end + 1).join("\n");
}

/** The overlay's box, cut out of what shines through beside it. */
export function box(screen: string): string {
	const lines = screen.split("\n");
	const top = lines.findIndex((line) => line.includes("┌─"));
	const bottom = lines.findIndex((line) => line.includes("└─"));
	if (top < 0 || bottom < 0) throw new Error(`no box on the screen:\n${screen}`);
	const left = lines[top]?.indexOf("┌") ?? 0;
	const right = (lines[top]?.indexOf("┐") ?? 0) + 1;
	return lines
		.slice(top, bottom + 1)
		.map((line) => line.slice(left, right))
		.join("\n");
}

/** Waits until what `pick` takes of the screen is the text of that name; else fails with what it was at last. */
export async function assertScreen(terminal: Terminal, name: string, pick: (screen: string) => string): Promise<void> {
	const wanted = process.env.UPDATE_SNAPSHOTS ? undefined : snapshot(FOLDER, name);
	if (wanted === undefined) return assertSnapshot(FOLDER, name, normalized(pick(await terminal.settled())));
	let shown = "";
	await terminal
		.until((screen) => {
			try {
				shown = normalized(pick(screen));
			} catch (error) {
				// It is not drawn yet, or not whole.
				shown = String(error);
			}
			return shown === wanted;
		})
		// The comparison below tells more than that it was waited for.
		.catch(() => {});
	assertSnapshot(FOLDER, name, shown);
}
