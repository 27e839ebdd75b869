import { bytes, share } from "../../format.ts";
import { cancel, reading } from "../../state/session.ts";

export function Progress() {
	const now = reading.value;
	if (!now) return null;
	const label = `Reading ${now.name}, ${bytes(now.size)}`;
	return (
		<section class="progress" aria-label="Progress">
			<span>{label}</span>
			{now.done > 0 ? (
				<>
					<progress aria-label={label} max={1} value={now.done} />
					<span class="percent">{share(now.done, 1)}</span>
				</>
			) : (
				<progress aria-label={label} />
			)}
			<button type="button" class="plain" onClick={cancel}>
				Cancel
			</button>
		</section>
	);
}
