/**
 * The rig that compares a large store with a small one, in its short form: that it calls what it should. Whether the
 * latencies are within the limits depends on the machine, so only the long form says something about it.
 */
import t from 'tap';
import { found, rig } from '../../test/support/rig.ts';

t.test('it measures lists with their filters, and checkouts', async (t) => {
  const ended = await rig('scale', '--short', '--repetitions', '1');
  const result = found(ended);
  t.notOk(result.failed, result.failed);
  t.ok(result.calls > 200, 'many calls are measured');
  t.ok(result.rejected < result.calls / 3, 'few combinations of filters are not allowed');
  for (const call of [
    '/products?sort=title',
    '/admin/orders?email=…&tag=none',
    '/admin/variants/{id}/prices',
    'POST /checkout',
  ]) {
    t.ok(ended.stdout.includes(`  ${call}\n`), call);
  }
});
