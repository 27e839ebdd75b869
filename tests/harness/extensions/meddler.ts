// A test's own extension: another one that edits the outgoing list before us. It leaves a message out, puts one in and
// copies the rest, so that neither places nor identities hold any more.

interface Message {
	role: string;
	[key: string]: unknown;
}

interface Api {
	on(event: "context", handler: (event: { messages: Message[] }) => { messages: Message[] }): void;
}

export default function meddler(pi: Api): void {
	pi.on("context", ({ messages }) => {
		const copies = messages.map((message) => ({ ...message }));
		// The first prompt goes; a note comes after what is the second message then.
		copies.splice(
			copies.findIndex((message) => message.role === "user"),
			1,
		);
		copies.splice(2, 0, { role: "user", content: [{ type: "text", text: "A note of the meddler." }], timestamp: 1 });
		return { messages: copies };
	});
}
