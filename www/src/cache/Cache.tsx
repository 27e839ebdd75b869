import type { Picture } from "../core/protocol.ts";
import { share, whole } from "../format.ts";
import { useAnswer } from "../state/answer.ts";
import { nameOf, selected } from "../state/session.ts";
import { figuresOf } from "../timeline/figures.ts";

export function Cache({ picture }: { picture: Picture }) {
	const request = selected.value;
	const { answer: sentences, failed } = useAnswer("explainCache", [request], [request, picture]);
	const { sentOff, sentOn, served } = figuresOf(picture, request);
	const scale = Math.max(sentOff, sentOn, 1);
	return (
		<div class="cache">
			<section>
				<h2>{nameOf(request)}</h2>
				{served ? (
					<>
						<Served name="With pi-decant" cached={served.cachedOn} fresh={served.freshOn} scale={scale} />
						<Served name="Without" cached={served.cachedOff} fresh={served.freshOff} scale={scale} />
					</>
				) : (
					<p>It was not sent, so no cache served it. Pick a request on the timeline.</p>
				)}
				{failed && <p class="trouble">{failed}</p>}
				<ul>
					{sentences?.map((sentence) => (
						<li key={sentence}>{sentence}</li>
					))}
				</ul>
			</section>
			<section class="why">
				<h2>Why the order of a request matters</h2>
				<p>
					A model has no memory between requests: each one carries the whole conversation again. Providers keep what
					they worked out for a request for some minutes, and the next one gets its beginning from there, as far as it
					is the same to the byte. That part is cheap. From the first byte that differs, everything is fresh.
				</p>
				<p>
					So changing one early message makes all that follows it fresh, once. Hiding something pays when what is saved
					in every later request outweighs that. This is why pi-decant changes what was already sent only at certain
					moments, many messages at once, and leaves it alone in between. The timeline marks these moments with ▲.
				</p>
			</section>
		</div>
	);
}

function Served({ name, cached, fresh, scale }: { name: string; cached: number; fresh: number; scale: number }) {
	const width = (tokens: number) => ({ width: `${(tokens / scale) * 100}%` });
	return (
		<div class="served">
			<p>
				<b>{name}</b> {whole(cached)} cached ({share(cached, cached + fresh)}), {whole(fresh)} fresh
			</p>
			<div class="track" aria-hidden="true">
				<i class="cached" style={width(cached)} />
				<i class="fresh" style={width(fresh)} />
			</div>
		</div>
	);
}
