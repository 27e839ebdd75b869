import type { Picture } from "../core/protocol.ts";
import { plural } from "../format.ts";

export function Findings({ picture: { overview } }: { picture: Picture }) {
	const { findings, notUnderstood } = overview;
	if (findings.length + notUnderstood.length === 0)
		return <p>Nothing is wrong with this transcript, and all of it was understood.</p>;
	return (
		<>
			{findings.length > 0 && (
				<table class="findings">
					<caption>{plural(findings.length, "fault")} of the session, and what the render does about each</caption>
					<thead>
						<tr>
							<th scope="col">Where</th>
							<th scope="col">What</th>
							<th scope="col">What the render does</th>
						</tr>
					</thead>
					<tbody>
						{findings.map(({ line, entry, kind, message, render }) => (
							<tr key={`${line} ${entry} ${kind} ${message}`}>
								<th scope="row">
									{line !== undefined && <span>line {line}</span>} {entry && <code>{entry}</code>}
								</th>
								<td>
									<span class="kind">{kind}</span> {message}
								</td>
								<td>{render}</td>
							</tr>
						))}
					</tbody>
				</table>
			)}
			{notUnderstood.length > 0 && (
				<table class="findings">
					<caption>Not understood, and left out of the replay</caption>
					<thead>
						<tr>
							<th scope="col">What</th>
							<th scope="col">How often</th>
						</tr>
					</thead>
					<tbody>
						{notUnderstood.map(({ what, count }) => (
							<tr key={what}>
								<th scope="row">{what}</th>
								<td>{count}</td>
							</tr>
						))}
					</tbody>
				</table>
			)}
		</>
	);
}
