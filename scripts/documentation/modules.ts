/**
 * The modules of a folder as a picture (SVG), drawn from what `.dependency-cruiser.mjs` allows each to import.
 */
import { type LayoutNode, layOut } from './layers.ts';

/** What each module may import; a string means every module before it. */
export type Modules = Readonly<Record<string, readonly string[] | string>>;

const box = { height: 32, gap: 22, radius: 6, padding: 14 };
const layerHeight = 78;
const margin = 28;
const bandHeight = 88;
const colours = {
  module: '#e7f0fb',
  file: '#f5f5f5',
  stroke: '#4a6fa5',
  line: '#8aa1bf',
  text: '#1c2733',
  note: '#56616e',
};

/** Names are set in 14 px of a common sans-serif; this is about the width of its letters. */
const widthOf = (name: string) => Math.round(name.length * 7.6) + 2 * box.padding;

export function modulesPicture(folder: string, modules: Modules): string {
  const limited = new Map<string, readonly string[]>();
  const unlimited: string[] = [];
  for (const [name, imports] of Object.entries(modules)) {
    if (typeof imports === 'string') unlimited.push(name);
    else limited.set(name, imports);
  }
  const layers = layOut(limited, widthOf, box.gap);
  const nodes = layers.flat();
  const bandWidth = unlimited.reduce((sum, name) => sum + widthOf(name) + box.gap, 0) + box.gap;
  const left = Math.min(...nodes.map(({ x, width }) => x - width / 2));
  const right = Math.max(...nodes.map(({ x, width }) => x + width / 2));
  const width = Math.round(Math.max(right - left, bandWidth)) + 2 * margin;
  const top = margin + bandHeight + 24;
  const height = Math.round(top + layers.length * layerHeight - (layerHeight - box.height) + margin);
  const xOf = (x: number) => Math.round(x - (left + right) / 2 + width / 2);
  const yOf = (layer: number) => top + (layers.length - 1 - layer) * layerHeight;

  const parts = nodes.flatMap((node) => node.below.map((lower) => line(node, lower, xOf, yOf)));
  for (const { name, x, layer, isWaypoint } of nodes) if (!isWaypoint) parts.push(module(name, xOf(x), yOf(layer)));

  const band = { x: Math.round((width - bandWidth) / 2), y: margin };
  parts.push(
    `<rect x="${band.x}" y="${band.y}" width="${bandWidth}" height="${bandHeight}" rx="${box.radius}" fill="none" stroke="${colours.line}" stroke-dasharray="4 3"/>`,
    text(band.x + bandWidth / 2, band.y + 22, 'may import every module below, and those to their left', 'note'),
  );
  let next = band.x + box.gap;
  for (const name of unlimited) {
    parts.push(module(name, next + widthOf(name) / 2, band.y + 42));
    next += widthOf(name) + box.gap;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="Helvetica, Arial, sans-serif" font-size="14">`,
    `<title>The modules of ${folder}/ and what each may import</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function module(name: string, x: number, y: number): string {
  const width = widthOf(name);
  const fill = name.endsWith('.ts') ? colours.file : colours.module;
  return (
    `<rect x="${x - width / 2}" y="${y}" width="${width}" height="${box.height}" rx="${box.radius}" fill="${fill}" stroke="${colours.stroke}"/>` +
    text(x, y + 21, name, 'text')
  );
}

function text(x: number, y: number, content: string, colour: 'text' | 'note'): string {
  return `<text x="${x}" y="${y}" text-anchor="middle" fill="${colours[colour]}">${content}</text>`;
}

/** From the bottom of the upper node to the top of the lower one; through a waypoint in a straight line. */
function line(
  upper: LayoutNode,
  lower: LayoutNode,
  xOf: (x: number) => number,
  yOf: (layer: number) => number,
): string {
  const from = { x: xOf(upper.x + port(upper, lower, 'below')), y: yOf(upper.layer) + box.height };
  const to = { x: xOf(lower.x + port(lower, upper, 'above')), y: yOf(lower.layer) };
  const middle = (from.y + to.y) / 2;
  const through = upper.isWaypoint ? `M${from.x} ${from.y - box.height}V${from.y}` : `M${from.x} ${from.y}`;
  return `<path d="${through}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}" fill="none" stroke="${colours.line}" stroke-width="1.4"/>`;
}

/** Where a line meets a node, from its middle: lines are spread in the order of the nodes they come from. */
function port(node: LayoutNode, other: LayoutNode, side: 'above' | 'below'): number {
  if (node.isWaypoint) return 0;
  const others = node[side].toSorted((one, two) => one.x - two.x);
  const spread = Math.min(node.width - 2 * box.radius - 8, 16 * (others.length - 1));
  return others.length < 2 ? 0 : spread * (others.indexOf(other) / (others.length - 1) - 0.5);
}

/** Modules that a document does not describe: their names in backticks, below the heading of their folder. */
export function undescribedModules(document: string, folder: string, modules: Modules): string[] {
  const [, section = ''] = document.split(`\n### \`${folder}/\`\n`);
  const [described = ''] = section.split(/^##/m);
  return Object.keys(modules).filter((module) => !described.includes(`\`${module}\``));
}
