// From what people drop, paste or pick to a source.

import { open, trouble } from "../../state/session.ts";

export function openFile(file: File | undefined): void {
	if (file) void open({ name: file.name, file });
}

export function openText(text: string): void {
	void open({ name: "Pasted text", file: new Blob([text], { type: "text/plain" }) });
}

/** Whatever a paste or a drop carries: a file (a picture, too, so that it can be said what it is), else text. */
export function openTransfer(data: DataTransfer | null): boolean {
	const file = data?.files[0];
	const text = data?.getData("text/plain") ?? "";
	if (file) openFile(file);
	else if (text !== "") openText(text);
	return file !== undefined || text !== "";
}

export interface Sample {
	file: string;
	name: string;
}

export async function openSample(sample: Sample): Promise<void> {
	try {
		const answer = await fetch(`./samples/${sample.file}`);
		if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
		await open({ name: sample.file, file: await answer.blob() });
	} catch (error) {
		trouble.value = `The sample ${sample.file} could not be loaded: ${error instanceof Error ? error.message : String(error)}`;
	}
}
