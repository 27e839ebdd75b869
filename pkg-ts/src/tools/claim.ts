import type { ExtensionAPI, SlashCommandInfo } from "@earendil-works/pi-coding-agent";
import { TOOL_NAME } from "./context-tree-query.ts";

/** The command that is ours, and the original's. */
export const COMMAND_NAME = "pruner";

/** How pi lists our command; tells it from another owner's. */
export const COMMAND_DESCRIPTION =
	"Prune old tool output from the context: on, off, status, now, compact, tree, help (pi-decant)";

/**
 * Looks for another pruner that owns our tool or command: pi-condense, or a second copy of ourselves. Two of them on
 * one session would prune each other's output, so the finder stands down wholly.
 *
 * `ours` is the schema of our own tool, once it is registered.
 * Returns the line that tells the user what to remove; `undefined` if the field is ours. To be asked at `session_start`:
 * all extensions' factories have run then, in whatever order they were loaded. Asking again later finds those that
 * register in `session_start` themselves.
 */
export function rival(
	pi: Pick<ExtensionAPI, "getAllTools" | "getCommands">,
	ours: object | undefined,
): string | undefined {
	const tool = pi.getAllTools().find(({ name, parameters }) => name === TOOL_NAME && parameters !== ours);
	const command = pi.getCommands().find((command) => isPruner(command) && command.description !== COMMAND_DESCRIPTION);
	const owner = tool ?? command;
	if (!owner) return undefined;
	const what = tool ? `the tool ${TOOL_NAME}` : `the command /${COMMAND_NAME}`;
	const { source, path } = owner.sourceInfo;
	const remove = /^(npm|git):/.test(source) ? `pi remove ${source}` : `the extension ${path}`;
	const installed = remove.startsWith("pi remove") ? `run: ${remove}` : `remove ${remove}`;
	return `pi-decant is standing down: ${what} belongs to another extension (${path}). To use pi-decant, ${installed}`;
}

/** Where two extensions have the command, pi calls them `pruner:1` and `pruner:2`. */
function isPruner(command: SlashCommandInfo): boolean {
	return command.source === "extension" && /^pruner(:\d+)?$/.test(command.name);
}
