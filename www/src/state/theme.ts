// Light, dark, or as the system has it. The choice is kept only with everything else that is kept.

import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

export const theme = signal<Theme>("system");

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
/** What is on the screen. Canvases are drawn anew when it changes. */
export const look = signal<"light" | "dark">("light");

const settle = () => {
	look.value = theme.value === "system" ? (prefersDark.matches ? "dark" : "light") : theme.value;
	document.documentElement.dataset.theme = look.value;
};

effect(settle);
prefersDark.addEventListener("change", settle);
