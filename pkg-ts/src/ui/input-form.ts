import type { Component, Focusable, Input, Text } from "@earendil-works/pi-tui";
import type { Paint, Stage } from "./panel.ts";

/** One value to type. */
export interface Question {
	/** What is asked for. */
	label: string;
	/** What stands there to begin with. */
	value: string;
	/** Says what is wrong with what was typed; `undefined` takes it. */
	submit: (text: string) => string | undefined;
	cancel: () => void;
}

/** pi's input with its question above and, after a refused answer, the reason below. */
export class InputForm implements Component, Focusable {
	readonly #input: Input;
	readonly #label: Text;
	readonly #problem: Text;
	readonly #paint: Paint;
	readonly #question: Question;
	#reason = "";

	constructor({ piTui }: Stage["host"], paint: Paint, question: Question) {
		this.#paint = paint;
		this.#question = question;
		this.#label = new piTui.Text("", 2, 0);
		this.#problem = new piTui.Text("", 2, 0);
		this.#input = new piTui.Input();
		this.#input.setValue(question.value);
		// The cursor starts at the front; "end" puts it where one goes on typing.
		this.#input.handleInput("\x1b[F");
		this.#input.onEscape = question.cancel;
		this.#input.onSubmit = (text) => {
			this.#reason = question.submit(text) ?? "";
			this.invalidate();
		};
		this.invalidate();
	}

	get focused(): boolean {
		return this.#input.focused;
	}

	set focused(focused: boolean) {
		this.#input.focused = focused;
	}

	handleInput(data: string): void {
		this.#input.handleInput(data);
	}

	invalidate(): void {
		const { theme } = this.#paint;
		this.#label.setText(theme.fg("muted", this.#question.label));
		this.#problem.setText(theme.fg("error", this.#reason));
		this.#input.invalidate();
	}

	render(width: number): string[] {
		const input = this.#input.render(Math.max(1, width - 2)).map((line) => `  ${line}`);
		const problem = this.#reason === "" ? [] : ["", ...this.#problem.render(width)];
		return [...this.#label.render(width), "", ...input, ...problem];
	}
}
