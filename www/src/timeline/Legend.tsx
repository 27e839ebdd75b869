import type { Requests } from "../core/types.ts";
import { whole } from "../format.ts";
import { kindColor, kindName, kinds } from "../kinds.ts";

/** What the colours mean and, beside each, the figure of the chosen request. */
export function Legend({ requests, request }: { requests: Requests; request: number }) {
	const column = (name: string) => requests.columns[name]?.[request] ?? 0;
	const entries = [
		...kinds.map((kind) => ({ name: kindName(kind), color: kindColor(kind), tokens: column(kind) })),
		{ name: "Without pi-decant", color: "var(--ghost)", tokens: column("sentOff") },
		{ name: "Fresh", color: "var(--fresh)", tokens: column("freshOn") },
		{ name: "Cached", color: "var(--cached)", tokens: column("cachedOn") },
	];
	return (
		<ul class="legend" aria-label="Tokens of this request">
			{entries.map(({ name, color, tokens }) => (
				<li key={name}>
					<i style={{ background: color }} aria-hidden="true" />
					{name} <b>{whole(tokens)}</b>
				</li>
			))}
		</ul>
	);
}
