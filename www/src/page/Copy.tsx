import { useSignal } from "@preact/signals";

/** Puts a text on the clipboard and says whether it got there. */
export function Copy({ text, label }: { text: () => string | Promise<string>; label: string }) {
	const said = useSignal("");
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(await text());
			said.value = "Copied.";
		} catch {
			said.value = "The browser did not allow it: select the text and copy it by hand.";
		}
		setTimeout(() => {
			said.value = "";
		}, 4_000);
	};
	return (
		<span class="copy">
			<button type="button" class="quiet" onClick={() => void copy()}>
				{label}
			</button>
			<span class="muted" role="status">
				{said.value}
			</span>
		</span>
	);
}
