/**
 * Turns of questions about tax numbers: two of a store and a country at once.
 */
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { inTurn } from '../numbers/turns.ts';

const { db } = await createTestBox(t, { packages: ['@carton/auth', '@carton/tenant'] });

/** Work that goes on until it is ended, and how its turn ended. */
function begin(key: string, milliseconds = 10_000) {
  const end = Promise.withResolvers<void>();
  const state = { hasBegun: false };
  const turn = inTurn(db, key, milliseconds, () => {
    state.hasBegun = true;
    return end.promise;
  });
  return { state, turn, end: end.resolve, fail: end.reject };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

t.test('a third waits until one of two has ended, in whatever way', async (t) => {
  const all = [begin('LU'), begin('LU'), begin('LU'), begin('LU')] as const;
  const other = begin('FR');
  const begun = () => all.map(({ state }) => state.hasBegun);
  await nextTurn();
  t.strictSame(begun(), [true, true, false, false]);
  t.ok(other.state.hasBegun, 'other countries do not wait');
  all[0].fail(new Error('away'));
  await t.rejects(all[0].turn, { message: 'away' });
  t.strictSame(begun(), [true, true, true, false]);
  all[1].end();
  t.equal(await all[1].turn, true);
  await nextTurn();
  t.strictSame(begun(), [true, true, true, true]);
  for (const each of [all[2], all[3], other]) each.end();
  t.strictSame(await Promise.all([all[2].turn, all[3].turn, other.turn]), [true, true, true]);
});

t.test('who waits too long has no turn, and takes none', async (t) => {
  const all = [begin('LU'), begin('LU'), begin('LU', 20)] as const;
  t.equal(await all[2].turn, false);
  const next = begin('LU');
  all[0].end();
  await all[0].turn;
  await nextTurn();
  t.strictSame([all[2].state.hasBegun, next.state.hasBegun], [false, true]);
  all[1].end();
  next.end();
  t.strictSame(await Promise.all([all[1].turn, next.turn]), [true, true]);
});
