/**
 * The rig that reads the sitemap of a large store, in a smaller form.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { found, rig } from '../../test/support/rig.ts';

t.test('a sitemap is complete, and its memory does not grow with the store', async (t) => {
  const ended = await rig('sitemap', '--short');
  t.match(found(ended), { rig: 'sitemap', held: true, broken: exactly([]), addresses: 60_000 });
});

t.test('it reports memory that grows', async (t) => {
  const ended = await rig('sitemap', '--addresses', '2000', '--memory', '0');
  const { held, broken, peakMemoryMiBOfSmall: small, peakMemoryMiBOfLarge: large } = found(ended);
  t.equal(held, large <= small);
  t.strictSame(broken, held ? [] : [`the large store took ${large - small} MiB more memory, allowed are 0`]);
});
