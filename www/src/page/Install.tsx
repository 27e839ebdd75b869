import { Copy } from "./Copy.tsx";

const command = "pi install npm:pi-decant";

export function Install() {
	return (
		<p class="install">
			<span>
				To have it in <a href="https://github.com/earendil-works/pi">pi</a> (1.6 or later):
			</span>
			<code>{command}</code>
			<Copy text={() => command} label="Copy the command" />
		</p>
	);
}
