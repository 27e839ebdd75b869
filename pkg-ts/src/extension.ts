import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { CoreSource } from "./core.ts";
import { type Host, hasContextWithSystem } from "./host.ts";
import { DecantSession } from "./session/session.ts";

/** Which of pi's events goes to which room; called by pi once a session. */
export function wire(pi: ExtensionAPI, host: Host, source: CoreSource): void {
	const session = new DecantSession(pi, host, source);
	pi.on("session_start", (_event, ctx) => session.start(ctx));
	pi.on("session_tree", (_event, ctx) => session.branchLeft(ctx));
	pi.on("session_compact", (_event, ctx) => session.branchGrew(ctx));
	pi.on("before_agent_start", (_event, ctx) => session.runStarts(ctx));
	pi.on("tool_call", (event, ctx) => session.guardCall(event, ctx));
	pi.on("turn_end", (event, ctx) => session.turnEnds(event, ctx));
	pi.on("session_shutdown", (event, ctx) => session.shutdown(event, ctx));
	if (hasContextWithSystem(host.piCodingAgent.VERSION)) {
		pi.on("context_with_system", (event, ctx) => result(session.prepareRequest(event.messages, ctx)));
	} else {
		pi.on("context", (event, ctx) => result(session.prepareRequest(event.messages, ctx)));
	}
}

function result<T>(messages: T[] | undefined): { messages: T[] } | undefined {
	return messages && { messages };
}
