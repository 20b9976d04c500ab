/**
 * The cache of lookups: joined, bounded, and used while what it asks is away.
 */
import t from 'tap';
import { openCache } from '../cache.ts';

/** A cache whose clock and answers the test sets; a key without an answer is missing. */
function open(most = 3) {
  const state = { now: 0, isAway: false, loads: [] as string[], answers: new Map<string, string>() };
  const cache = openCache<string | null>(
    {
      async load(key) {
        state.loads.push(key);
        await new Promise((resolve) => setImmediate(resolve));
        if (state.isAway) throw new Error('away');
        return state.answers.get(key) ?? null;
      },
      isMissing: (value) => value === null,
      most,
      fresh: 30,
      freshMissing: 10,
      stale: 1000,
      pause: 2,
    },
    () => state.now,
  );
  return { cache, state };
}

t.test('concurrent lookups of a key are one, also failed ones', async (t) => {
  const { cache, state } = open();
  state.answers.set('a', '1');
  t.strictSame(await Promise.all([cache.get('a'), cache.get('a'), cache.get('b'), cache.get('a')]), [
    '1',
    '1',
    null,
    '1',
  ]);
  t.strictSame(state.loads, ['a', 'b']);
  state.isAway = true;
  const failed = await Promise.allSettled([cache.get('c'), cache.get('c')]);
  t.strictSame(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  t.strictSame(state.loads, ['a', 'b', 'c']);
});

t.test('values and missing ones are looked up again after their times', async (t) => {
  const { cache, state } = open();
  state.answers.set('a', '1');
  await cache.get('a');
  await cache.get('b');
  state.now = 9;
  state.answers.set('b', '2');
  t.equal(await cache.get('b'), null);
  state.now = 10;
  t.equal(await cache.get('b'), '2');
  state.now = 29;
  state.answers.delete('a');
  t.equal(await cache.get('a'), '1');
  state.now = 30;
  t.equal(await cache.get('a'), null, 'a value that is gone is not used any more');
  state.isAway = true;
  state.now = 40;
  await t.rejects(cache.get('a'), /away/);
});

t.test('a value is used in place of failed lookups for a time, which are made at intervals', async (t) => {
  const { cache, state } = open();
  state.answers.set('a', '1');
  await cache.get('a');
  state.isAway = true;
  for (const now of [30, 31, 32, 1000]) {
    state.now = now;
    t.equal(await cache.get('a'), '1', `at ${now}`);
  }
  t.equal(state.loads.length, 4, 'not at 31');
  state.now = 1002;
  await t.rejects(cache.get('a'), /away/);
  state.isAway = false;
  await t.rejects(cache.get('a'), /away/, 'until the next lookup');
  state.now = 1004;
  t.equal(await cache.get('a'), '1');
});

t.test('it is bounded, and missing keys displace no values', async (t) => {
  const { cache, state } = open(3);
  for (const key of ['a', 'b', 'c']) state.answers.set(key, key);
  for (const key of ['a', 'b', 'c']) await cache.get(key);
  for (let index = 0; index < 20; index += 1) await cache.get(`missing-${index}`);
  t.strictSame(cache.size, { found: 3, missing: 3 });
  await cache.get('a');
  state.answers.set('d', 'd');
  await cache.get('d');
  state.loads.length = 0;
  for (const key of ['a', 'c', 'd', 'b']) await cache.get(key);
  t.strictSame(state.loads, ['b'], 'the one unused for longest was forgotten');
});
