/**
 * Lays out a graph without circles in layers: each node above those it points to, with few crossings.
 */
export interface LayoutNode {
  name: string;
  width: number;
  layer: number;
  /** Centre; 0 is the middle of the picture. */
  x: number;
  /** A point that an edge passes on its way through a layer. */
  isWaypoint: boolean;
  below: LayoutNode[];
  above: LayoutNode[];
}

const waypointWidth = 4;
const sweeps = 24;

/**
 * Layers from the bottom to the top, each from left to right. Edges that others imply are left out: where `a` points to
 * `b` and `c`, and `b` to `c`, there is no line from `a` to `c`.
 * @param edges what each node points to; only nodes before it
 */
export function layOut(
  edges: ReadonlyMap<string, readonly string[]>,
  widthOf: (name: string) => number,
  gap: number,
): LayoutNode[][] {
  const nodes = new Map<string, LayoutNode>();
  const reached = new Map<string, Set<string>>();
  const layers: LayoutNode[][] = [];
  const add = (name: string, layer: number, width: number, isWaypoint: boolean): LayoutNode => {
    const node: LayoutNode = { name, width, layer, x: 0, isWaypoint, below: [], above: [] };
    layers[layer] = [...(layers[layer] ?? []), node];
    return node;
  };
  for (const [name, targets] of edges) {
    const below = (target: string) => reached.get(target) as Set<string>;
    reached.set(name, new Set(targets.flatMap((target) => [target, ...below(target)])));
    const direct = targets.filter((target) => !targets.some((other) => other !== target && below(other).has(target)));
    const layer = Math.max(-1, ...targets.map((target) => nodes.get(target)?.layer as number)) + 1;
    const node = add(name, layer, widthOf(name), false);
    nodes.set(name, node);
    for (const target of direct) {
      let lower = nodes.get(target) as LayoutNode;
      for (let between = lower.layer + 1; between < layer; between++) {
        const waypoint = add(name, between, waypointWidth, true);
        connect(waypoint, lower);
        lower = waypoint;
      }
      connect(node, lower);
    }
  }
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const [order, side] = sweep % 2 === 0 ? [layers, 'below' as const] : [layers.toReversed(), 'above' as const];
    for (const layer of order) {
      const middle = new Map(layer.map((node) => [node, mean(node[side].map(({ x }) => x)) ?? node.x]));
      layer.sort((one, other) => (middle.get(one) as number) - (middle.get(other) as number));
      place(layer, gap);
    }
  }
  return layers;
}

function connect(upper: LayoutNode, lower: LayoutNode): void {
  upper.below.push(lower);
  lower.above.push(upper);
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Moves the nodes of a layer as near to their neighbours as their order and widths allow (isotonic regression). */
function place(layer: LayoutNode[], gap: number): void {
  let offset = 0;
  const offsets = layer.map((node, index) => {
    const previous = layer[index - 1];
    if (previous) offset += (previous.width + node.width) / 2 + gap;
    return offset;
  });
  const blocks: { sum: number; count: number }[] = [];
  layer.forEach((node, index) => {
    const wish = mean([...node.below, ...node.above].map(({ x }) => x)) ?? 0;
    let block = { sum: wish - (offsets[index] as number), count: 1 };
    for (let last = blocks.at(-1); last && last.sum / last.count > block.sum / block.count; last = blocks.at(-1)) {
      blocks.pop();
      block = { sum: last.sum + block.sum, count: last.count + block.count };
    }
    blocks.push(block);
  });
  const positions = blocks.flatMap(({ sum, count }) => Array.from({ length: count }, () => sum / count));
  layer.forEach((node, index) => {
    node.x = (positions[index] as number) + (offsets[index] as number);
  });
}
