import { useRef } from "preact/hooks";
import { openFile } from "./read.ts";

/** A button that opens the browser's file picker. */
export function OpenFile({ label, primary = false }: { label: string; primary?: boolean }) {
	const input = useRef<HTMLInputElement>(null);
	return (
		<>
			<button type="button" class={primary ? "primary" : "plain"} onClick={() => input.current?.click()}>
				{label}
			</button>
			<input
				ref={input}
				type="file"
				hidden
				accept=".jsonl,.json,.ndjson,.txt,application/json"
				onChange={(event) => {
					const field = event.currentTarget;
					openFile(field.files?.[0]);
					// So that the same file can be picked again.
					field.value = "";
				}}
			/>
		</>
	);
}
