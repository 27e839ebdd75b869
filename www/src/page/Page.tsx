import { picture, trouble } from "../state/session.ts";
import { Footer } from "./Footer.tsx";
import { Header } from "./Header.tsx";
import { DropZone } from "./input/DropZone.tsx";
import { Progress } from "./input/Progress.tsx";
import { Start } from "./input/Start.tsx";
import { Session } from "./Session.tsx";

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
				{picture.value ? <Session picture={picture.value} /> : <Start />}
			</main>
			<Footer />
		</DropZone>
	);
}
