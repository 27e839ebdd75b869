import { signal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Cache } from "../cache/Cache.tsx";
import type { Picture } from "../core/protocol.ts";
import { Export } from "../export/Export.tsx";
import { Findings } from "../findings/Findings.tsx";
import { WindowMap } from "../map/WindowMap.tsx";
import { Messages } from "../messages/Messages.tsx";
import { Query } from "../query/Query.tsx";
import { Settings } from "../settings/Settings.tsx";
import { waiting } from "../state/session.ts";

/** A view of the session; those of a request need one to have been made. */
interface View {
	id: string;
	name: string;
	show: FunctionComponent<{ picture: Picture }>;
	ofRequest: boolean;
}

const views: View[] = [
	{ id: "messages", name: "Before / after", show: Messages, ofRequest: true },
	{ id: "map", name: "Map", show: WindowMap, ofRequest: true },
	{ id: "query", name: "Query", show: Query, ofRequest: true },
	{ id: "cache", name: "Cache", show: Cache, ofRequest: true },
	{ id: "findings", name: "Findings", show: Findings, ofRequest: false },
	{ id: "settings", name: "Settings", show: Settings, ofRequest: false },
	{ id: "export", name: "Export", show: Export, ofRequest: true },
];

export const view = signal("messages");

export function Views({ picture }: { picture: Picture }) {
	const { overview, requests } = picture;
	const there = views.filter(({ ofRequest }) => requests.count > 0 || !ofRequest);
	const open = there.find(({ id }) => id === view.value) ?? (there[0] as View);
	const list = useRef<HTMLDivElement>(null);
	const counts: Record<string, number> = { findings: overview.findings.length + overview.notUnderstood.length };
	const move = (event: KeyboardEvent) => {
		const at = there.indexOf(open);
		const steps: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: there.length - 1 };
		const to = steps[event.key];
		if (to === undefined) return;
		event.preventDefault();
		// The page's own arrow keys pick a request.
		event.stopPropagation();
		view.value = (there.at(to % there.length) as View).id;
		(list.current?.querySelector(`#tab-${view.value}`) as HTMLElement | null)?.focus();
	};
	useEffect(() => {
		list.current?.querySelector(`#tab-${open.id}`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
	}, [open.id]);
	const Show = open.show;
	return (
		<section class="views" aria-label="Views">
			<div class="tabs" role="tablist" aria-label="Views" ref={list} onKeyDown={move}>
				{there.map(({ id, name }) => (
					<button
						key={id}
						type="button"
						role="tab"
						id={`tab-${id}`}
						aria-selected={id === open.id}
						aria-controls="view"
						tabIndex={id === open.id ? 0 : -1}
						onClick={() => {
							view.value = id;
						}}
					>
						{name}
						{(counts[id] ?? 0) > 0 && <span class="count">{counts[id]}</span>}
					</button>
				))}
			</div>
			<div id="view" role="tabpanel" aria-labelledby={`tab-${open.id}`} aria-busy={waiting} class="view">
				<Show picture={picture} />
			</div>
		</section>
	);
}
