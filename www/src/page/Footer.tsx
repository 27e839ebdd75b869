import { remembered, remembering, setRemembering } from "../state/remember.ts";
import { Install } from "./Install.tsx";

export function Footer() {
	return (
		<footer class="bottom">
			<label class="check">
				<input
					type="checkbox"
					checked={remembering.value}
					onChange={(event) => setRemembering(event.currentTarget.checked)}
				/>
				<span>
					Keep this transcript, the settings and the colours in this browser until unchecked. Otherwise a reload forgets
					them.
				</span>
			</label>
			{remembered.value && <p class="trouble">{remembered.value}</p>}
			<p class="muted">
				Nothing leaves this page: it reads your transcript with the same core that runs in pi, compiled to WebAssembly,
				and makes no request to anyone.
			</p>
			<Install />
		</footer>
	);
}
