/** One run at a time; of the calls that come meanwhile one more run is made, which sees the newest state. */
export function latestOnly(work: () => Promise<void>): () => void {
	let running = false;
	let again = false;
	const run = async () => {
		if (running) {
			again = true;
			return;
		}
		running = true;
		try {
			do {
				again = false;
				await work();
			} while (again);
		} finally {
			running = false;
		}
	};
	return () => void run();
}
