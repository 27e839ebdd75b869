import type { Requests, Totals } from "../core/types.ts";
import { change, plural, share, short, whole } from "../format.ts";

/** The whole session in a few figures. The later comparison of strategies and their money is another row of these. */
export function Figures({ totals, requests }: { totals: { off: Totals; on: Totals }; requests: Requests }) {
	const { off, on } = totals;
	return (
		<dl class="figures">
			<Pair name="Sent in all" off={off.sent} on={on.sent} note={plural(requests.count, "request")} />
			<Pair
				name="Sent fresh"
				off={off.fresh}
				on={on.fresh}
				note={`cached: ${share(off.cached, off.sent)} → ${share(on.cached, on.sent)}`}
			/>
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
	const from = own === 0 ? "" : `, ${whole(own)} from the session`;
	return `${plural(own + made, "summary", "summaries")}: ${whole(made)} by rule, without a model${from}`;
}

function Pair({ name, off, on, note }: { name: string; off: number; on: number; note: string }) {
	return (
		<div>
			<dt>{name}</dt>
			<dd>
				<span class="was" title={whole(off)}>
					{short(off)}
				</span>
				<span aria-hidden="true"> → </span>
				<strong title={whole(on)}>{short(on)}</strong>
				<b class={on > off ? "up" : "down"}>{change(off, on)}</b>
				<small>{note}</small>
			</dd>
		</div>
	);
}
