/**
 * How alike two texts are, for suggestions.
 */

/** How many letters are added, left out or replaced between two texts. */
function differences(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 0; row < one.length; row++) {
    const line = [row + 1];
    for (let at = 0; at < other.length; at++) {
      const replaced = (above[at] as number) + (one[row] === other[at] ? 0 : 1);
      line.push(Math.min(replaced, (above[at + 1] as number) + 1, (line[at] as number) + 1));
    }
    above = line;
  }
  return above.at(-1) as number;
}

/** From 0 for texts that have nothing in common to 1 for the same text. */
export function likeness(one: string, other: string): number {
  const length = Math.max(one.length, other.length);
  return length === 0 ? 1 : 1 - differences(one, other) / length;
}
