/**
 * The states of an order and their transitions as a picture (SVG), drawn from the table in
 * vendor/order/states/transitions.ts.
 * States that change to one another, and to and from the same other states, are one group.
 */
export interface DrawnTransition {
  state: string;
  from: string;
  to: string;
  requires?: Readonly<Record<string, string | undefined>>;
}

interface Group {
  names: readonly string[];
  x: number;
  y: number;
  width: number;
  height: number;
}

const box = { height: 30, gap: 10, padding: 14, radius: 6 };
const groupPadding = 16;
const noteHeight = 22;
const gap = 84;
const margin = 28;
const titleHeight = 46;
const arcRoom = 44;
const panelGap = 34;
const colours = {
  state: '#e7f0fb',
  first: '#cfe0f6',
  stroke: '#4a6fa5',
  line: '#5f7ba3',
  text: '#1c2733',
  note: '#56616e',
};

/** Names are set in 14 px of a common sans-serif; this is about the width of its letters. */
const widthOf = (text: string) => Math.round(text.length * 7.6);

const titles: Readonly<Record<string, string>> = {
  status: 'Status',
  paymentStatus: 'Payment status',
  fulfillmentStatus: 'Fulfillment status',
};

export function orderStatesPicture(
  states: Readonly<Record<string, readonly string[]>>,
  transitions: readonly DrawnTransition[],
): string {
  const parts: string[] = [];
  let top = margin;
  let width = 0;
  for (const [state, names] of Object.entries(states)) {
    const panel = panelOf(
      state,
      names,
      transitions.filter((each) => each.state === state),
      top,
    );
    parts.push(...panel.parts);
    top += panel.height + panelGap;
    width = Math.max(width, panel.width);
  }
  const size = { width: width + 2 * margin, height: top - panelGap + margin };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" font-family="Helvetica, Arial, sans-serif" font-size="14">`,
    '<title>The states of an order and their transitions</title>',
    `<defs><marker id="end" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="${colours.line}"/></marker></defs>`,
    `<rect width="${size.width}" height="${size.height}" fill="#ffffff"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

/** States in groups: within one, each changes to each, and all have the same other sources and targets. */
export function groupStates(names: readonly string[], transitions: readonly DrawnTransition[]): string[][] {
  const has = (from: string, to: string) => transitions.some((each) => each.from === from && each.to === to);
  const isAlike = (one: string, two: string) =>
    has(one, two) &&
    has(two, one) &&
    names.every(
      (other) =>
        other === one || other === two || (has(one, other) === has(two, other) && has(other, one) === has(other, two)),
    );
  const groups: string[][] = [];
  for (const name of names) {
    const group = groups.find(([first]) => isAlike(first as string, name));
    if (group) group.push(name);
    else groups.push([name]);
  }
  return groups;
}

function panelOf(state: string, names: readonly string[], transitions: readonly DrawnTransition[], top: number) {
  const grouped = groupStates(names, transitions);
  const heightOf = (count: number) =>
    count === 1 ? box.height : count * (box.height + box.gap) - box.gap + 2 * groupPadding + noteHeight;
  const tallest = Math.max(...grouped.map(({ length }) => heightOf(length)));
  const isArched = grouped.length > 2;
  const middle = top + titleHeight + (isArched ? arcRoom : 0) + tallest / 2;
  let left = margin;
  const groups = grouped.map((members): Group => {
    const height = heightOf(members.length);
    const label = members.length > 1 ? widthOf(noteOf(members)) - 20 : 0;
    const widest = Math.max(...members.map((name) => widthOf(name) + 2 * box.padding));
    const width = members.length > 1 ? Math.max(widest, label) + 2 * groupPadding : widest;
    const group = { names: members, x: left, y: middle - height / 2, width, height };
    left += width + gap;
    return group;
  });
  const conditions = new Set(transitions.map(({ requires }) => conditionOf(requires)).filter((text) => text !== ''));
  const title = [titles[state] ?? state, ...conditions].join(' – ');
  const parts = [text(margin, top + 16, title, 'text', 'start', ' font-weight="bold"')];
  parts.push(...groups.flatMap((group) => drawGroup(group, names[0] as string)));
  for (const [at, one] of groups.entries()) {
    for (const [next, two] of groups.entries()) {
      if (next <= at) continue;
      const has = (from: Group, to: Group) =>
        transitions.some((each) => from.names.includes(each.from) && to.names.includes(each.to));
      if (has(one, two) || has(two, one)) parts.push(arrow(one, two, next - at, at, has(one, two), has(two, one)));
    }
  }
  const height = titleHeight + tallest + (isArched ? 2 * arcRoom : 0);
  return { parts, height, width: Math.max(left - gap - margin, widthOf(title)) };
}

/** `while status is placed` */
function conditionOf(requires: DrawnTransition['requires'] = {}): string {
  const named = Object.entries(requires).map(([name, value]) => `${(titles[name] ?? name).toLowerCase()} is ${value}`);
  return named.length > 0 ? `while ${named.join(' and ')}` : '';
}

const noteOf = ({ length }: readonly string[]) => (length > 2 ? 'each changes to each' : 'either way');

function drawGroup({ names, x, y, width, height }: Group, first: string): string[] {
  if (names.length === 1) return drawState(names[0] as string, x, y, width, first);
  const inner = width - 2 * groupPadding;
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${box.radius}" fill="none" stroke="${colours.line}" stroke-dasharray="4 3"/>`,
    ...names.flatMap((name, at) =>
      drawState(name, x + groupPadding, y + groupPadding + at * (box.height + box.gap), inner, first),
    ),
    text(x + width / 2, y + height - 12, noteOf(names), 'note'),
  ];
}

function drawState(name: string, x: number, y: number, width: number, first: string): string[] {
  const isFirst = name === first;
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${box.height}" rx="${box.radius}" fill="${isFirst ? colours.first : colours.state}" stroke="${colours.stroke}" stroke-width="${isFirst ? 2.2 : 1}"/>`,
    text(x + width / 2, y + 20, name, 'text'),
  ];
}

/** Between neighbours a straight line; past others an arc, above them from the first group and below from the others. */
function arrow(one: Group, two: Group, distance: number, at: number, forward: boolean, back: boolean): string {
  const marks = `${back ? ' marker-start="url(#end)"' : ''}${forward ? ' marker-end="url(#end)"' : ''}`;
  const style = `fill="none" stroke="${colours.line}" stroke-width="1.4"${marks}`;
  const middle = one.y + one.height / 2;
  if (distance === 1) return `<path d="M${one.x + one.width + 3} ${middle}H${two.x - 3}" ${style}/>`;
  const isAbove = at === 0;
  const edge = (group: Group) => (isAbove ? group.y - 3 : group.y + group.height + 3);
  const from = { x: one.x + one.width / 2, y: edge(one) };
  const to = { x: two.x + two.width / 2, y: edge(two) };
  const peak = isAbove ? Math.min(from.y, to.y) - arcRoom : Math.max(from.y, to.y) + arcRoom;
  return `<path d="M${from.x} ${from.y}C${from.x} ${peak} ${to.x} ${peak} ${to.x} ${to.y}" ${style}/>`;
}

function text(x: number, y: number, content: string, colour: 'text' | 'note', anchor = 'middle', more = ''): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${colours[colour]}"${more}>${content}</text>`;
}
