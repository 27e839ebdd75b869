import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { openTransfer } from "./read.ts";

const isField = (target: EventTarget | null) =>
	target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

/** The whole page takes what is dropped on it, and what is pasted outside of a field. */
export function DropZone({ children }: { children: ComponentChildren }) {
	const over = useSignal(false);
	useLayoutEffect(() => {
		const paste = (event: ClipboardEvent) => {
			if (!isField(event.target) && openTransfer(event.clipboardData)) event.preventDefault();
		};
		const drag = (event: DragEvent) => {
			event.preventDefault();
			over.value = true;
		};
		const leave = (event: DragEvent) => {
			if (event.relatedTarget === null) over.value = false;
		};
		const drop = (event: DragEvent) => {
			event.preventDefault();
			over.value = false;
			openTransfer(event.dataTransfer);
		};
		document.addEventListener("paste", paste);
		document.addEventListener("dragover", drag);
		document.addEventListener("dragleave", leave);
		document.addEventListener("drop", drop);
		return () => {
			document.removeEventListener("paste", paste);
			document.removeEventListener("dragover", drag);
			document.removeEventListener("dragleave", leave);
			document.removeEventListener("drop", drop);
		};
	}, [over]);
	return <div class={over.value ? "page dropping" : "page"}>{children}</div>;
}
