/**
 * Finds the ids in a text.
 */
const anyId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The ids in a text, from left to right. It looks at the hyphens, of which there are few: a pattern would begin to match
 * at every digit, which costs more than the rest of the suite's client in long responses.
 */
export function* idsIn(text: string): Generator<string> {
  let from = 0;
  for (let at = text.indexOf('-', 8); at !== -1; at = text.indexOf('-', at + 1)) {
    if (at - 8 < from || text[at + 5] !== '-' || text[at + 10] !== '-' || text[at + 15] !== '-') continue;
    const id = text.slice(at - 8, at + 28);
    if (!anyId.test(id)) continue;
    yield id;
    from = at + 28;
  }
}
