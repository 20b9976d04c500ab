/**
 * `uniqueItems` for JSON from clients. Ajv's own keyword compares each item with each other, also in an array with too
 * many, and calls `valueOf` and `toString` of objects, which may be members of the JSON. This one takes a time in
 * proportion to the array, and reads own members only.
 */
import { _, type CodeKeywordDefinition, str } from 'ajv/dist/2020.js';

/** In place of Ajv's keyword of the same name. Items are compared as handlers get them, after conversions. */
export const uniqueItems: CodeKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  code(cxt) {
    if (!cxt.schema) return;
    const find = cxt.gen.scopeValue('func', { ref: findDuplicate });
    const pair = cxt.gen.const('pair', _`${find}(${cxt.data})`);
    cxt.setParams({ j: _`${pair}[0]`, i: _`${pair}[1]` });
    cxt.fail(_`${pair} !== null`);
  },
  error: {
    message: ({ params: { i, j } }) => str`must NOT have duplicate items (items ## ${j} and ${i} are identical)`,
    params: ({ params: { i, j } }) => _`{i: ${i}, j: ${j}}`,
  },
};

/** The positions of the first item that repeats an earlier one, and of that one before it. */
export function findDuplicate(items: readonly unknown[]): [earlier: number, later: number] | null {
  const positions = new Map<string, number>();
  for (const [later, item] of items.entries()) {
    const text = textOf(item);
    const earlier = positions.get(text);
    if (earlier !== undefined) return [earlier, later];
    positions.set(text, later);
  }
  return null;
}

/** A text that equal values have in common: members have no order, and 1 is 1.0. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`).join()}}`;
}
