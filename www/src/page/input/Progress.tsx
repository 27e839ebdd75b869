import { bytes } from "../../format.ts";
import { cancel, reading } from "../../state/session.ts";

export function Progress() {
	const now = reading.value;
	if (!now) return null;
	const label = `Reading ${now.name}, ${bytes(now.total)}`;
	return (
		<section class="progress" aria-label="Progress">
			<span>{label}</span>
			{now.total > 0 && now.done > 0 ? (
				<progress aria-label={label} max={now.total} value={now.done} />
			) : (
				<progress aria-label={label} />
			)}
			<button type="button" class="plain" onClick={cancel}>
				Cancel
			</button>
		</section>
	);
}
