import type { Picture } from "../core/protocol.ts";
import { plural, short } from "../format.ts";
import { priced } from "./prices.ts";

/** What the figures rest on. Stands beside them: a tooltip is nothing on a phone. */
export function Basis({ picture }: { picture: Picture }) {
	const sentences = ["A token is four characters, as pi estimates.", unseen(picture), billed(picture), money(picture)];
	return <p class="muted basis">{sentences.filter(Boolean).join(" ")}</p>;
}

function unseen({ overview, requests }: Picture): string {
	if (overview.unseen > 0)
		return `System prompt and tools, about ${short(overview.unseen)} tokens with each request, are counted from the first bill.`;
	const held = (["system", "tools"] as const).some((kind) => requests.columns[kind]?.some((tokens) => tokens > 0));
	if (held || overview.billed.requests > 0) return "";
	return "System prompt and tools are in no figure: the log has neither them nor a bill.";
}

function billed({ overview: { billed } }: Picture): string {
	if (billed.requests === 0) return "";
	return `The provider counted ${short(billed.sent)} in ${plural(billed.requests, "request")}.`;
}

function money({ overview }: Picture): string {
	if (priced(overview)) return "";
	return `No price of ${overview.model ?? "its model"} is known here, so nothing is said of cost.`;
}
