// The JavaScript half of the boundary: reads heads off pi's objects into one tape, puts a plan onto them.
//
// Text does not cross at render time and a head crosses once: moving a session of 8 MB takes three to four times as long
// as pi's own structuredClone of it, this a few hundredths (design section 5).

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

/** What this side keeps of a session: how to tell a message that was read before, as a message or as an entry. */
export class Mirror {
	constructor() {
		/** Of the last request's messages. */
		this.known = new Keys();
		/** Of the branch's entries, each at its place; entries without a message have no role. */
		this.entries = new Keys();
		/** Places whose messages a context edit changed. */
		this.edited = new Set();
		/** Places of results with the id and the time of the result beside them: told apart by what they are. */
		this.twins = new Set();
		/** The texts that plans name. */
		this.texts = [];
	}
}

/** Time, role and call id of messages. */
class Keys {
	constructor() {
		this.timestamps = [];
		this.roles = [];
		this.calls = [];
		/** The places whose time is also that of the place before or behind, or is none. */
		this.tied = [];
		/** Their sizes, where asked for. */
		this.sizes = new Map();
	}

	get length() {
		return this.timestamps.length;
	}

	push(timestamp, role, call) {
		const at = this.timestamps.length;
		if (timestamp === undefined || timestamp === this.timestamps[at - 1]) {
			if (at > 0 && this.tied.at(-1) !== at - 1) this.tied.push(at - 1);
			this.tied.push(at);
		}
		this.timestamps.push(timestamp);
		this.roles.push(role);
		this.calls.push(call);
	}

	truncate(length) {
		this.timestamps.length = length;
		this.roles.length = length;
		this.calls.length = length;
		while (this.tied.length > 0 && this.tied.at(-1) >= length) this.sizes.delete(this.tied.pop());
	}
}

/**
 * How many of the first messages were read before. The time of each is what it was, and the call id of a result; where
 * neighbours share a time, as parallel calls can, so are role and size. Reading all of every message takes four times as
 * long.
 */
export function countKnown(mirror, messages) {
	const { timestamps, roles, calls, tied, sizes } = mirror.known;
	let count = Math.min(timestamps.length, messages.length);
	for (let i = 0; i < count; i++) {
		const message = messages[i];
		if (message.timestamp !== timestamps[i] || (calls[i] !== undefined && message.toolCallId !== calls[i])) count = i;
	}
	for (const i of tied) {
		if (i >= count) break;
		const message = messages[i];
		if (message.role !== roles[i] || message.toolCallId !== calls[i] || sizeOf(message) !== sizes.get(i)) return i;
	}
	return count;
}

/** How many entries without a message may stand between two that have one before the core is asked. */
const LOOK_AHEAD = 64;

/**
 * The messages from `from` on: each as the place of its entry, found from `place` on in order, or as a head on the tape
 * (place -1) where it is none of the next entries or was edited. An entry's head has crossed already.
 */
export function readMessages(mirror, messages, from, place) {
	const { known, edited, twins } = mirror;
	const { timestamps, roles, calls } = mirror.entries;
	known.truncate(from);
	const places = new Int32Array(messages.length - from);
	const tape = new Tape();
	let next = place;
	for (let i = from; i < messages.length; i++) {
		const message = messages[i];
		const { timestamp, role, toolCallId } = message;
		known.push(timestamp, role, toolCallId);
		const end = Math.min(next + LOOK_AHEAD, roles.length);
		let at = next;
		while (at < end && (timestamps[at] !== timestamp || calls[at] !== toolCallId || roles[at] !== role)) at++;
		if (at < end) next = at + 1;
		if (at < end && !edited.has(at) && !twins.has(at)) {
			places[i - from] = at;
		} else {
			places[i - from] = -1;
			const code = ROLES[role] ?? OTHER_ROLE;
			tape.message(code, code, message, contentOf(message), timestamp);
		}
	}
	for (const i of known.tied) {
		if (i >= from - 1 && i < messages.length) known.sizes.set(i, sizeOf(messages[i]));
	}
	return { places, ...tape.finish() };
}

/** A number that differs where messages of one time do. */
function sizeOf(message) {
	const { content } = message;
	if (typeof content === "string") return content.length;
	if (!Array.isArray(content)) return -1;
	let size = content.length;
	for (const block of content) size += typeof block?.text === "string" ? block.text.length * 8 : 1;
	return size;
}

function contentOf(message) {
	return message.role === "branchSummary" || message.role === "compactionSummary" ? message.summary : message.content;
}

/** Marks the entry at `place`: its message is not what its head says. */
export function markEdited(mirror, place) {
	mirror.edited.add(place);
}

/** The entries of a branch, or those behind the ones packed before. */
export function packEntries(mirror, entries) {
	const tape = new Tape();
	for (const entry of entries) {
		tape.string(entry.id);
		const twin = packEntry(mirror.entries, tape, entry);
		if (twin) noteTwin(mirror);
		else {
			mirror.entries.push(undefined, undefined, undefined);
			tape.row(KIND.other, 0, Number.NaN);
		}
	}
	return tape.finish();
}

/** Notes the last entry and the one before it if they cannot be told apart by time, role and call id. */
function noteTwin({ entries: { timestamps, roles, calls }, twins }) {
	const at = roles.length - 1;
	if (roles[at] !== "toolResult") return;
	// Results of one message stand together, at most with an entry of somebody's between them.
	for (let before = at - 1; before >= Math.max(0, at - 16); before--) {
		if (timestamps[before] === timestamps[at] && calls[before] === calls[at] && roles[before] === "toolResult") {
			twins.add(before).add(at);
		}
	}
}

/** Packs an entry that means something to the core; false for any other. */
function packEntry(keys, tape, entry) {
	const { type, customType } = entry;
	const ours = typeof customType === "string" && customType.startsWith(OURS);
	switch (type) {
		case "message": {
			const { message } = entry;
			if (typeof message !== "object" || message === null) return false;
			const code = ROLES[message.role] ?? OTHER_ROLE;
			keys.push(message.timestamp, message.role, message.toolCallId);
			tape.message(code, code, message, contentOf(message), message.timestamp);
			return true;
		}
		case "custom_message": {
			const { content, details } = entry;
			if (ours) {
				tape.string(customType);
				tape.string(JSON.stringify({ content, details }));
			}
			dated(keys, tape, ours ? KIND.oursMessage : ROLES.custom, "custom", entry, content);
			return true;
		}
		case "branch_summary":
			if (typeof entry.summary !== "string" || entry.summary === "") return false;
			dated(keys, tape, ROLES.branchSummary, "branchSummary", entry, entry.summary);
			return true;
		case "compaction":
			// Its message stands before the entries it was made after: it is never found in order.
			keys.push(undefined, undefined, undefined);
			tape.string(entry.firstKeptEntryId);
			tape.message(KIND.compaction, ROLES.compactionSummary, entry, entry.summary, timeOf(entry));
			return true;
		case "context_edit":
			if (entry.replacement === undefined) return false;
			keys.push(undefined, undefined, undefined);
			tape.string(entry.targetId);
			tape.row(KIND.contextEdit, entry.replacement === null ? 1 : 0, Number.NaN);
			return true;
		case "custom":
			if (!ours) return false;
			keys.push(undefined, undefined, undefined);
			tape.string(customType);
			tape.string(JSON.stringify(entry.data) ?? "null");
			tape.row(KIND.ours, 0, timeOf(entry));
			return true;
		default:
			return false;
	}
}

/** As pi reads it (`sessionEntryToContextMessages`): a number or null is a time too. */
function timeOf({ timestamp }) {
	return new Date(timestamp).getTime();
}

/** An entry whose message takes its time from the entry. */
function dated(keys, tape, kind, role, entry, content) {
	const timestamp = timeOf(entry);
	keys.push(timestamp, role, undefined);
	tape.message(kind, ROLES[role], entry, content, timestamp);
}

/** Rows of numbers and one run of strings; a row says how many strings are its own. */
class Tape {
	constructor() {
		this.rows = [];
		this.strings = [];
		this.args = [];
		this.taken = 0;
	}

	string(value) {
		this.strings.push(typeof value === "string" ? value : "");
	}

	row(kind, flags, timestamp, text = 0, thinking = 0, thinkingBlocks = 0, images = 0) {
		this.rows.push(kind, flags, timestamp, text, thinking, thinkingBlocks, images, this.strings.length - this.taken);
		this.taken = this.strings.length;
	}

	message(kind, role, message, content, time) {
		let text = 0;
		let thinking = 0;
		let thinkingBlocks = 0;
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
					thinkingBlocks++;
					if (typeof block.thinking === "string") thinking += block.thinking.length;
				} else if (type === "image") {
					images++;
				} else if (type === "toolCall" && role === ROLES.assistant) {
					this.string(block.id);
					this.string(block.name);
					this.string(block.arguments?.path);
					this.args.push(JSON.stringify(block.arguments)?.length ?? 0);
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
		this.row(kind, flags, typeof time === "number" ? time : Number.NaN, text, thinking, thinkingBlocks, images);
	}

	/** Rows, the byte length of each string, the argument length of each call, and the strings' bytes (valid until the next tape). */
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
		return { rows: Float64Array.from(this.rows), lengths, args: Uint32Array.from(this.args), bytes };
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

/** Takes the texts that plans name from now on: one behind the other, with the length of each in UTF-16 units. */
export function setTexts(mirror, joined, units) {
	let start = 0;
	mirror.texts = Array.from(units, (length) => {
		const text = joined.slice(start, start + length);
		start += length;
		return text;
	});
}

const INSERT = 0;
const EXTEND = 1;
const QUOTE = 2;
const REPLACE = 3;
const APPEND = 4;
const ARGUMENTS = 5;
const DROP_THINKING = 6;
const CUT_IDS = 7;
const PURGED_KEY = "_purged";

/**
 * Carries out a plan: rows of index, act and what the act needs. Untouched messages keep their identity.
 *
 * `prefixTime` becomes the time of the first message, in place: pi-ai takes the usage of a reply that is older than the
 * prefix for outdated (pi-ai utils/estimate), as it does after a compaction.
 */
export function applyPlan(mirror, messages, edits, prefixTime) {
	const { texts } = mirror;
	const time = messages[0]?.timestamp;
	if (typeof time === "number" && time < prefixTime) messages[0].timestamp = prefixTime;
	const out = [];
	let next = 0;
	for (let e = 0; e < edits.length; ) {
		const index = edits[e];
		while (next < index) out.push(messages[next++]);
		const message = messages[index];
		let current = message;
		for (; e < edits.length && edits[e] === index; e += 4) {
			const a = edits[e + 2];
			switch (edits[e + 1]) {
				case INSERT:
					out.push({
						role: "user",
						content: [{ type: "text", text: texts[a] }],
						timestamp: messages[index - 1]?.timestamp,
					});
					break;
				case EXTEND:
					out.at(-1).content[0].text += texts[a];
					break;
				case QUOTE:
					quote(out.at(-1), messages[a]);
					break;
				case REPLACE:
					// Another extension may have put something else in the result's place since it was read.
					if (message.role === "toolResult") current = replaced(message, texts[a]);
					break;
				case APPEND:
					current = { ...current, content: [...blocksOf(current), { type: "text", text: texts[a] }] };
					break;
				case ARGUMENTS:
					current = withArguments(current, edits[e + 3], { [PURGED_KEY]: texts[a] });
					break;
				case DROP_THINKING:
					current = withoutThinking(current);
					break;
				case CUT_IDS:
					current = withCutIds(current);
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

/** Exactly these keys, as the original's stub has them. */
function replaced({ role, toolCallId, toolName, timestamp }, text) {
	return { role, toolCallId, toolName, content: [{ type: "text", text }], isError: false, timestamp };
}

/** The blocks of a message; string content counts as one text block. */
function blocksOf({ content }) {
	if (Array.isArray(content)) return content;
	return typeof content === "string" ? [{ type: "text", text: content }] : [];
}

/** The inserted message goes on with the text and the images of another. */
function quote(inserted, { content }) {
	inserted.content[0].text += textOf(content) ?? "";
	if (Array.isArray(content)) inserted.content.push(...content.filter((block) => block?.type === "image"));
}

function withArguments(message, call, replacement) {
	let nth = 0;
	const content = blocksOf(message).map((block) =>
		block?.type === "toolCall" && nth++ === call ? { ...block, arguments: replacement } : block,
	);
	return { ...message, content };
}

function withoutThinking(message) {
	const kept = blocksOf(message).filter((block) => block?.type !== "thinking");
	const content = kept.map((block) => {
		if (block?.type !== "text" || !("textSignature" in block)) return block;
		const { textSignature, ...unbound } = block;
		return unbound;
	});
	return { ...message, content };
}

function withCutIds(message) {
	if (message.role === "toolResult") return { ...message, toolCallId: cutId(message.toolCallId) };
	const content = blocksOf(message).map((block) =>
		block?.type === "toolCall" ? { ...block, id: cutId(block.id) } : block,
	);
	return { ...message, content };
}

function cutId(id) {
	return typeof id === "string" ? id.split("|", 1)[0] : id;
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

/** UTF-8 of type and data of each image of an entry. */
export function entryImageKeys(entry) {
	return entryImages(entry).map(({ data, mimeType }) => encode(`${mimeType} ${data}`).slice());
}

const nodeCrypto = globalThis.process?.getBuiltinModule?.("node:crypto");

/** SHA-1 of bytes by Node, where there is one: a quarter of the time. */
export function nodeSha1(bytes) {
	return nodeCrypto?.createHash("sha1").update(bytes).digest();
}
