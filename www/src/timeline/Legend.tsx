import type { Picture } from "../core/protocol.ts";
import { whole } from "../format.ts";
import { kindColor, kindName, kinds } from "../kinds.ts";
import type { Figures } from "./figures.ts";

/** What the colours mean and, beside each, the figure of the chosen request. */
export function Legend({ picture, figures }: { picture: Picture; figures: Figures }) {
	const { requests } = picture;
	// A kind that this session has nothing of needs no explanation.
	const present = kinds.filter((kind) => requests.columns[kind]?.some((tokens) => tokens > 0));
	const { served } = figures;
	const entries = [
		...present.map((kind) => ({ name: kindName(kind), color: kindColor(kind), tokens: figures.kinds[kind] ?? 0 })),
		{ name: "Without pi-decant", color: "var(--ghost)", tokens: figures.sentOff },
		{ name: "Fresh", color: "var(--fresh)", tokens: served?.freshOn },
		{ name: "Cached", color: "var(--cached)", tokens: served?.cachedOn },
		// The last column, in one tone.
		{ name: "Next request", color: "var(--muted)", tokens: picture.overview.nextOn },
	];
	return (
		<ul class="legend" aria-label="Tokens of this request">
			{entries.map(({ name, color, tokens }) => (
				<li key={name}>
					<i style={{ background: color }} aria-hidden="true" />
					{name} <b>{tokens === undefined ? "–" : whole(tokens)}</b>
				</li>
			))}
		</ul>
	);
}
