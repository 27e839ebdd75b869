// The parts of a window as boxes, each as large as its tokens.

import { hierarchy, treemap, treemapSquarify } from "d3-hierarchy";
import type { MapPart } from "../core/types.ts";

export interface Box {
	part: MapPart;
	/** Percent of the whole. */
	x: number;
	y: number;
	width: number;
	height: number;
}

type Node = { part?: MapPart; children?: Node[] };

export const WIDTH = 1_000;

/** Parts of one kind lie together. `aspect`: height over width of the place they go into. */
export function boxes(parts: readonly MapPart[], aspect: number): Box[] {
	const groups = new Map<string, Node[]>();
	for (const part of parts) {
		if (part.tokens <= 0) continue;
		const group = groups.get(part.kind);
		if (group) group.push({ part });
		else groups.set(part.kind, [{ part }]);
	}
	const tree: Node = { children: [...groups.values()].map((children) => ({ children })) };
	const root = hierarchy(tree)
		.sum(({ part }) => part?.tokens ?? 0)
		.sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
	const height = WIDTH * aspect;
	const placed = treemap<Node>().tile(treemapSquarify.ratio(1.4)).size([WIDTH, height])(root);
	return placed.leaves().flatMap(({ data, x0, x1, y0, y1 }) => {
		if (!data.part) return [];
		const across = (value: number) => (value / WIDTH) * 100;
		const down = (value: number) => (value / height) * 100;
		return [{ part: data.part, x: across(x0), y: down(y0), width: across(x1 - x0), height: down(y1 - y0) }];
	});
}
