import { useSignal } from "@preact/signals";
import { Copy } from "../page/Copy.tsx";
import { scrolls } from "../page/scrolls.ts";
import { core, nameOf, selected, source } from "../state/session.ts";

export function Export() {
	const number = selected.value + 1;
	const base = (source.value?.name ?? "transcript").replace(/\.[a-z]+$/i, "").replaceAll(/\s+/g, "-");
	return (
		<div class="exports">
			<Item
				name="Settings"
				what="What differs from the defaults, to put into the settings.json of pi."
				file="settings.json"
				type="application/json"
				make={() => core().call("settingsJson")}
			/>
			<Item
				name="Report"
				what="Every figure of this page, as Markdown."
				file={`${base}-report.md`}
				type="text/markdown"
				make={() => core().call("report")}
			/>
			<Item
				name={`Messages of ${nameOf(selected.value).toLowerCase()}`}
				what="The list as it would go to the model, as JSON."
				file={`${base}-request-${number}.json`}
				type="application/json"
				make={() => core().call("exportRendered", number - 1)}
				key={number}
			/>
		</div>
	);
}

interface ItemProps {
	name: string;
	what: string;
	file: string;
	type: string;
	make(): Promise<string>;
}

/** UTF-16 units of the text that are shown. */
const SHOWN = 4_000;

function Item({ name, what, file, type, make }: ItemProps) {
	const text = useSignal<string | undefined>(undefined);
	const failed = useSignal<string | undefined>(undefined);
	const attempt = async (work: () => Promise<void>) => {
		failed.value = undefined;
		try {
			await work();
		} catch (error) {
			failed.value = error instanceof Error ? error.message : String(error);
		}
	};
	const show = () =>
		attempt(async () => {
			text.value = text.value === undefined ? await make() : undefined;
		});
	const save = () =>
		attempt(async () => {
			const link = document.createElement("a");
			link.href = URL.createObjectURL(new Blob([await make()], { type }));
			link.download = file;
			link.click();
			URL.revokeObjectURL(link.href);
		});
	return (
		<section>
			<h2>{name}</h2>
			<p class="muted">{what}</p>
			<p class="actions">
				<button type="button" class="plain" onClick={() => void save()}>
					Save {file}
				</button>
				<Copy text={make} label="Copy" />
				<button type="button" class="quiet" aria-expanded={text.value !== undefined} onClick={() => void show()}>
					{text.value === undefined ? "Show" : "Hide"}
				</button>
			</p>
			{failed.value && <p class="trouble">{failed.value}</p>}
			{text.value !== undefined && (
				<pre class="text" {...scrolls(name)}>
					{text.value.slice(0, SHOWN)}
					{text.value.length > SHOWN ? "\n…" : ""}
				</pre>
			)}
		</section>
	);
}
