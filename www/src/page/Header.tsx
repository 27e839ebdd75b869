import { close, picture } from "../state/session.ts";
import { type Theme, theme } from "../state/theme.ts";
import { OpenFile } from "./input/OpenFile.tsx";

const themes: { value: Theme; name: string }[] = [
	{ value: "system", name: "Colours: system" },
	{ value: "light", name: "Colours: light" },
	{ value: "dark", name: "Colours: dark" },
];

export function Header() {
	const isOpen = picture.value !== undefined;
	return (
		<header class="top">
			<a class="skip" href="#main">
				Skip to the content
			</a>
			<p class="mark">
				<Vessel />
				<span>
					pi-decant <em>playground</em>
				</span>
			</p>
			<div class="tools">
				{isOpen && (
					<>
						<OpenFile label="Open another" />
						<button type="button" class="quiet" onClick={close}>
							Close
						</button>
					</>
				)}
				<label class="theme">
					<span class="hidden">Colours</span>
					<select
						value={theme.value}
						onChange={(event) => {
							theme.value = event.currentTarget.value as Theme;
						}}
					>
						{themes.map(({ value, name }) => (
							<option key={value} value={value}>
								{name}
							</option>
						))}
					</select>
				</label>
			</div>
		</header>
	);
}

function Vessel() {
	return (
		<svg class="vessel" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
			<path class="glass" d="M12 3h8v7l6 13a4.5 4.5 0 0 1-4 6H10a4.5 4.5 0 0 1-4-6l6-13z" />
			<path class="sediment" d="M9 21h14l1.5 3.2a2.6 2.6 0 0 1-2.4 3.3H9.900a2.6 2.6 0 0 1-2.4-3.3z" />
		</svg>
	);
}
