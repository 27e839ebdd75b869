// A test's own extension: has the agent work before other extensions have seen `session_start` (report 13).

interface Api {
	on(event: "session_start", handler: () => Promise<void>): void;
	on(event: "agent_settled", handler: () => void): void;
	sendUserMessage(text: string): void;
}

/** Must be loaded before the extension under test: `session_start` handlers run one after the other, in load order. */
export default function eagerStart(pi: Api): void {
	let settled = () => {};
	pi.on("agent_settled", () => settled());
	pi.on("session_start", async () => {
		const done = new Promise<void>((resolve) => {
			settled = resolve;
		});
		pi.sendUserMessage("Already at it.");
		await done;
	});
}
