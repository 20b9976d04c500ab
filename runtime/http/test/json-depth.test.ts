/**
 * The depth of JSON texts agrees with that of the parsed values.
 */
import fc from 'fast-check';
import t from 'tap';
import { isNestedDeeper } from '../json-depth.ts';

const depthOf = (value: unknown): number =>
  value !== null && typeof value === 'object' ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

t.test('texts of all values', async (t) => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[[\]{}"\\]*$/));
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      text,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  })).value;
  let deep = 0;
  fc.assert(
    fc.property(values, fc.integer({ min: 0, max: 5 }), (value, levels) => {
      const isDeeper = depthOf(value) > levels;
      if (isDeeper) deep++;
      return isNestedDeeper(JSON.stringify(value), levels) === isDeeper;
    }),
    { numRuns: 3000 },
  );
  t.ok(deep > 100, `${deep} were deeper`);
});

t.test('texts that are no JSON', (t) => {
  for (const text of ['', '"', '"\\', '"\\"', ']]]]', '[[', '{"a":["]']) t.equal(isNestedDeeper(text, 2), false, text);
  t.equal(isNestedDeeper('[[[', 2), true);
  t.equal(isNestedDeeper('"[[[', 2), false, 'an open string');
  t.end();
});
