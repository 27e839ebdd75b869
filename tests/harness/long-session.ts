// A long session like real ones: about 2.1 kB of JSON a message, 9 to 12 MB at 5,000 messages, text of every kind.

import { random, textKinds, textOfKind } from "./random.ts";
import { type Block, SessionBuilder } from "./sessions.ts";

/** Grows a session turn by turn; the same seed, the same session. */
export class LongSession {
	readonly session = new SessionBuilder();
	readonly #r = random(2_026);
	#messages = 0;
	/** Tool turns left before the reply that ends this prompt. */
	#turnsLeft = 0;

	/** Messages so far. */
	get length(): number {
		return this.#messages;
	}

	/** At least `count` messages, ended by a reply so that everything of it is finished work. */
	growTo(count: number): void {
		while (this.#messages < count || this.#turnsLeft > 0) this.turn();
	}

	/** One prompt, one tool turn or one reply. */
	turn(): void {
		const r = this.#r;
		if (this.#turnsLeft === 0) {
			this.session.user(textOfKind(r, "prose", r.int(60, 700)));
			this.#messages++;
			this.#turnsLeft = r.int(4, 16);
			return;
		}
		if (--this.#turnsLeft === 0) {
			this.session.assistant(textOfKind(r, "prose", r.int(300, 2_500)));
			this.#messages++;
			return;
		}
		const lead: Block[] = [];
		if (r.chance(0.5))
			lead.push({
				type: "thinking",
				thinking: textOfKind(r, "prose", r.int(200, 1_500)),
				thinkingSignature: "s".repeat(300),
			});
		if (r.chance(0.4)) lead.push({ type: "text", text: textOfKind(r, "prose", r.int(40, 300)) });
		const calls = r.chance(0.15) ? r.int(2, 4) : 1;
		this.session.toolTurn(
			Array.from({ length: calls }, () => ({
				name: r.pick(["read", "bash", "edit", "grep"]),
				args: {
					path: `src/${r.int(0, 400)}.ts`,
					...(r.chance(0.2) ? { newText: textOfKind(r, "code", r.int(200, 3_000)) } : {}),
				},
				result: textOfKind(r, r.pick(textKinds), Math.floor(180 * 60 ** r.next())),
			})),
			lead,
		);
		this.#messages += 1 + calls;
	}
}
