import type { Picture } from "../core/protocol.ts";
import type { Totals } from "../core/types.ts";
import { change, dollars, plural, share, short, whole } from "../format.ts";
import { priced, sources } from "./prices.ts";

/** The whole session in a few figures. The later comparison of strategies is another row of these. */
export function Figures({ picture }: { picture: Picture }) {
	const { requests, overview } = picture;
	const { off, on } = picture.totals;
	return (
		<dl class="figures">
			<Pair name="Sent in all" off={off.sent} on={on.sent} note={`tokens, ${plural(requests.count, "request")}`} />
			<Pair
				name="Sent fresh"
				off={off.fresh}
				on={on.fresh}
				note={`cached: ${share(off.cached, off.sent)} → ${share(on.cached, on.sent)}`}
			/>
			{priced(overview) && (
				<Pair
					class="cost"
					name="Cost, summaries included"
					off={off.cost}
					on={on.cost}
					as={dollars}
					exact={dollars}
					note={`${dollars(on.summaries.cost)} of it for summaries; ${sources(overview)}`}
				/>
			)}
			<Pair name="Largest request" off={off.largest} on={on.largest} note="tokens" />
			<div>
				<dt>Rewrites of the history</dt>
				<dd>
					<strong>{whole(on.rewrites)}</strong>
					<small>{summaries(on)}</small>
				</dd>
			</div>
		</dl>
	);
}

/** How many summaries the replay needed, and whether a model had written them. */
function summaries({ summaries: { recorded: own, deterministic: made } }: Totals): string {
	if (own + made === 0) return "no summaries";
	if (made === 0) return `${plural(own, "summary", "summaries")}, from the session`;
	const all = plural(own + made, "summary", "summaries");
	if (own === 0) return `${all}, by rule, without a model`;
	return `${all}: ${whole(made)} by rule, without a model, ${whole(own)} from the session`;
}

interface PairProps {
	class?: string;
	name: string;
	off: number;
	on: number;
	note: string;
	/** How a figure is written, and in full. */
	as?: typeof short;
	exact?: typeof whole;
}

function Pair({ class: of, name, off, on, note, as = short, exact = whole }: PairProps) {
	const by = change(off, on);
	const direction = by === "±0 %" ? "same" : on > off ? "up" : "down";
	return (
		<div class={of}>
			<dt>{name}</dt>
			<dd>
				<span class="was" title={exact(off)}>
					{as(off)}
				</span>
				<span aria-hidden="true"> → </span>
				<strong title={exact(on)}>{as(on)}</strong> <b class={direction}>{by}</b>
				<small>{note}</small>
			</dd>
		</div>
	);
}
