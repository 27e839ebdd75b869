// The JavaScript half of the boundary: reads heads off pi's objects into one tape, puts a plan onto them.
//
// Text does not cross at render time and a head crosses once: moving a session of 8 MB takes three to four times as long
// as pi's own structuredClone of it, this a few hundredths (design section 5).

const ROW = 8;
const ROLES = {
	system: 0,
	user: 1,
	assistant: 2,
	toolResult: 3,
	custom: 4,
	branchSummary: 5,
	compactionSummary: 6,
	bashExecution: 7,
};
const OTHER_ROLE = 8;
const KIND = { compaction: 20, contextEdit: 21, ours: 22, oursMessage: 23, other: 24 };
const OURS = "context-prune-";

const encoder = new TextEncoder();
let scratch = new Uint8Array(1 << 16);

/** What this side keeps of a session: how to tell the messages it has already read, and the texts of the plan. */
export class Mirror {
	constructor() {
		this.timestamps = [];
		this.roles = [];
		this.sizes = [];
		this.texts = [];
	}
}

/** A message cannot have changed unnoticed while its time, role and first length are the same (context edits of other extensions change the length or leave nothing). */
function sizeOf(content) {
	if (typeof content === "string") return content.length;
	if (!Array.isArray(content)) return -1;
	const first = content[0];
	return content.length * 0x100000000 + (first?.type === "text" && typeof first.text === "string" ? first.text.length : 0);
}

/** How many of the first messages were read before. */
export function countKnown(mirror, messages) {
	const { timestamps, roles, sizes } = mirror;
	const count = Math.min(timestamps.length, messages.length);
	for (let i = 0; i < count; i++) {
		const message = messages[i];
		if (message.timestamp !== timestamps[i] || message.role !== roles[i] || sizeOf(message.content) !== sizes[i]) return i;
	}
	return count;
}

/** The heads of the messages from `from` on. */
export function packMessages(mirror, messages, from) {
	mirror.timestamps.length = from;
	mirror.roles.length = from;
	mirror.sizes.length = from;
	const tape = new Tape(messages.length - from);
	for (let i = from; i < messages.length; i++) {
		const message = messages[i];
		mirror.timestamps.push(message.timestamp);
		mirror.roles.push(message.role);
		mirror.sizes.push(sizeOf(message.content));
		const role = ROLES[message.role] ?? OTHER_ROLE;
		tape.message(role, role, message, message.content, message.timestamp);
	}
	return tape.finish();
}

/** The entries of a branch, in order. */
export function packEntries(entries) {
	const tape = new Tape(entries.length);
	for (const entry of entries) {
		tape.string(entry.id);
		switch (entry.type) {
			case "message": {
				const message = entry.message ?? {};
				const role = ROLES[message.role] ?? OTHER_ROLE;
				tape.message(role, role, message, message.content, message.timestamp);
				break;
			}
			case "custom_message": {
				const { customType, content, details } = entry;
				if (typeof customType === "string" && customType.startsWith(OURS)) {
					tape.string(customType);
					tape.string(JSON.stringify({ content, details }));
					tape.message(KIND.oursMessage, ROLES.custom, entry, content, Date.parse(entry.timestamp));
				} else {
					tape.message(ROLES.custom, ROLES.custom, entry, content, Date.parse(entry.timestamp));
				}
				break;
			}
			case "branch_summary":
				tape.message(ROLES.branchSummary, ROLES.branchSummary, entry, entry.summary, Date.parse(entry.timestamp));
				break;
			case "compaction":
				tape.string(entry.firstKeptEntryId);
				tape.message(KIND.compaction, ROLES.compactionSummary, entry, entry.summary, Date.parse(entry.timestamp));
				break;
			case "context_edit":
				tape.string(entry.targetId);
				tape.row(KIND.contextEdit, entry.replacement === null || entry.replacement === undefined ? 1 : 0, Number.NaN);
				break;
			case "custom":
				if (typeof entry.customType === "string" && entry.customType.startsWith(OURS)) {
					tape.string(entry.customType);
					tape.string(JSON.stringify(entry.data) ?? "null");
					tape.row(KIND.ours, 0, Date.parse(entry.timestamp));
				} else {
					tape.row(KIND.other, 0, Number.NaN);
				}
				break;
			default:
				tape.row(KIND.other, 0, Number.NaN);
		}
	}
	return tape.finish();
}

/** Rows of numbers and one run of strings; a row says how many strings are its own. */
class Tape {
	constructor(rows) {
		this.rows = new Float64Array(rows * ROW);
		this.at = 0;
		this.strings = [];
		this.taken = 0;
	}

	string(value) {
		this.strings.push(typeof value === "string" ? value : "");
	}

	row(kind, flags, timestamp, text = 0, thinking = 0, args = 0, images = 0) {
		const { rows, at } = this;
		rows[at] = kind;
		rows[at + 1] = flags;
		rows[at + 2] = timestamp;
		rows[at + 3] = text;
		rows[at + 4] = thinking;
		rows[at + 5] = args;
		rows[at + 6] = images;
		rows[at + 7] = this.strings.length - this.taken;
		this.taken = this.strings.length;
		this.at = at + ROW;
	}

	message(kind, role, message, content, time) {
		let text = 0;
		let thinking = 0;
		let args = 0;
		let images = 0;
		let flags = 0;
		if (typeof content === "string") {
			text = content.length;
		} else if (Array.isArray(content)) {
			for (let i = 0; i < content.length; i++) {
				const block = content[i];
				const type = block?.type;
				if (type === "text") {
					if (typeof block.text === "string") text += block.text.length;
				} else if (type === "thinking") {
					if (typeof block.thinking === "string") thinking += block.thinking.length;
				} else if (type === "image") {
					images++;
				} else if (type === "toolCall" && role === ROLES.assistant) {
					this.string(block.id);
					this.string(block.name);
					args += JSON.stringify(block.arguments)?.length ?? 0;
				}
			}
		}
		if (role === ROLES.toolResult) {
			this.string(message.toolCallId);
			this.string(message.toolName);
			if (message.isError === true) flags = 1;
		} else if (role === ROLES.assistant && (message.stopReason === "error" || message.stopReason === "aborted")) {
			flags = 1;
		}
		this.row(kind, flags, typeof time === "number" ? time : Number.NaN, text, thinking, args, images);
	}

	/** Rows, the byte length of each string, and their bytes (valid until the next tape). */
	finish() {
		const { strings } = this;
		const joined = strings.join("");
		const lengths = new Uint32Array(strings.length);
		const bytes = encode(joined);
		if (bytes.length === joined.length) {
			for (let i = 0; i < strings.length; i++) lengths[i] = strings[i].length;
		} else {
			// Not all ASCII: each string is measured by itself.
			for (let i = 0; i < strings.length; i++) lengths[i] = utf8Length(strings[i]);
		}
		return { rows: this.rows, lengths, bytes };
	}
}

function utf8Length(text) {
	let length = 0;
	for (const c of text) {
		const code = c.codePointAt(0);
		length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	}
	return length;
}

/** UTF-8 of a text in a buffer that the next call overwrites; wasm-bindgen's own copy takes eight to ten times as long. */
function encode(text) {
	if (scratch.length < text.length * 3) {
		scratch = new Uint8Array(Math.max(text.length * 3, scratch.length * 2));
	}
	return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}

/** Takes the texts that plans name from now on. */
export function setTexts(mirror, texts) {
	mirror.texts = texts;
}

const INSERT = 0;
const REPLACE = 1;
const APPEND = 2;

/** Carries out a plan: triples of index, act and text. Untouched messages keep their identity. */
export function applyPlan(mirror, messages, edits, staleUsageBefore) {
	const { texts } = mirror;
	for (let i = 0; i < staleUsageBefore; i++) {
		const message = messages[i];
		if (message.role === "assistant") clearUsage(message.usage);
	}
	const out = [];
	let next = 0;
	for (let e = 0; e < edits.length; ) {
		const index = edits[e];
		while (next < index) out.push(messages[next++]);
		const message = messages[index];
		let current = message;
		for (; e < edits.length && edits[e] === index; e += 3) {
			const text = texts[edits[e + 2]];
			switch (edits[e + 1]) {
				case INSERT:
					out.push(inserted(text, messages[index - 1]));
					break;
				case REPLACE:
					current = replaced(message, text);
					break;
				case APPEND:
					current = appended(current, text);
					break;
				default:
					current = undefined;
			}
		}
		if (index < messages.length) {
			if (current !== undefined) out.push(current);
			next = index + 1;
		}
	}
	while (next < messages.length) out.push(messages[next++]);
	return out;
}

function inserted(text, before) {
	const message = { role: "user", content: [{ type: "text", text }] };
	if (before !== undefined && "timestamp" in before) message.timestamp = before.timestamp;
	return message;
}

/** Exactly these keys, as the original's stub has them. */
function replaced(message, text) {
	const stub = {};
	if ("role" in message) stub.role = message.role;
	if ("toolCallId" in message) stub.toolCallId = message.toolCallId;
	if ("toolName" in message) stub.toolName = message.toolName;
	stub.content = [{ type: "text", text }];
	stub.isError = false;
	if ("timestamp" in message) stub.timestamp = message.timestamp;
	return stub;
}

function appended(message, text) {
	const { content } = message;
	const blocks = Array.isArray(content) ? content : typeof content === "string" ? [{ type: "text", text: content }] : [];
	return { ...message, content: [...blocks, { type: "text", text }] };
}

const USAGE = ["input", "output", "cacheRead", "cacheWrite", "totalTokens"];

function clearUsage(usage) {
	if (typeof usage !== "object" || usage === null) return;
	for (const key of USAGE) if (key in usage) usage[key] = 0;
}

/** The message of an entry that a lookup returned. */
function messageOf(entry) {
	return entry?.type === "message" ? entry.message : entry;
}

function textOf(content) {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return undefined;
	const texts = [];
	for (const block of content) if (block?.type === "text" && typeof block.text === "string") texts.push(block.text);
	return texts.join("\n");
}

/** UTF-8 of an entry's text blocks joined by newlines; undefined where there is none. */
export function entryText(entry) {
	const text = textOf(messageOf(entry)?.content);
	return text === undefined ? undefined : encode(text);
}

/** UTF-8 of the arguments of call number `call` of an assistant's entry, as JSON indented by two. */
export function entryArguments(entry, call) {
	const content = messageOf(entry)?.content;
	if (!Array.isArray(content)) return undefined;
	const block = content.filter((one) => one?.type === "toolCall")[call];
	const json = JSON.stringify(block?.arguments, null, 2);
	return json === undefined ? undefined : encode(json);
}

/** Units `start..end` of an entry's text; lone surrogates become U+FFFD, since no request can carry them. */
export function cutText(entry, start, end) {
	return (textOf(messageOf(entry)?.content) ?? "").slice(start, end).toWellFormed();
}

/** The image blocks of an entry. */
export function entryImages(entry) {
	const content = messageOf(entry)?.content;
	if (!Array.isArray(content)) return [];
	return content.filter((block) => block?.type === "image").map(({ data, mimeType }) => ({ type: "image", data, mimeType }));
}
