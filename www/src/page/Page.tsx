import { useErrorBoundary } from "preact/hooks";
import { picture, trouble } from "../state/session.ts";
import { Footer } from "./Footer.tsx";
import { Header } from "./Header.tsx";
import { DropZone } from "./input/DropZone.tsx";
import { Progress } from "./input/Progress.tsx";
import { Start } from "./input/Start.tsx";
import { Session } from "./Session.tsx";

/** A fault of ours in drawing costs the drawing, not the page. */
function Guarded() {
	const [error, again] = useErrorBoundary();
	if (error)
		return (
			<p class="trouble">
				<span>This could not be drawn, and the fault is ours: {String(error.message ?? error)}</span>
				<button type="button" class="quiet" onClick={again}>
					Try again
				</button>
			</p>
		);
	return picture.value ? <Session picture={picture.value} /> : <Start />;
}

export function Page() {
	return (
		<DropZone>
			<Header />
			<main id="main" tabIndex={-1}>
				<div aria-live="assertive" role="alert">
					{trouble.value && (
						<p class="trouble">
							<span>{trouble.value}</span>
							<button
								type="button"
								class="quiet"
								onClick={() => {
									trouble.value = undefined;
								}}
							>
								Close
							</button>
						</p>
					)}
				</div>
				<Progress />
				<Guarded />
			</main>
			<Footer />
		</DropZone>
	);
}
