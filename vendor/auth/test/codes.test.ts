/**
 * Attempts at codes that are mostly right: the first of a client is counted once it fails, those beside it before.
 */
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { tryTrustedCode } from '../attempts/codes.ts';
import { packages } from '../testing/index.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });

async function attemptsOf(session: string): Promise<number[]> {
  const rows = await box.owner.query<{ attempts: number }>(
    'select attempts from auth_attempts where tenant_id = $1 and kind = $2 order by attempts',
    [box.id, `${session} code session`],
  );
  return rows.map(({ attempts }) => attempts);
}
/** An attempt that waits for its end, in a realm of its own, which keeps the counts of a session apart. */
async function begin(session: string) {
  const end = Promise.withResolvers<'right' | 'wrong'>();
  const looksUp = Promise.withResolvers<void>();
  const guesser = { realm: session, member: null, session, address: null };
  const ended = tryTrustedCode(box.db, guesser, (tried) =>
    box.db.transaction(async (tx) => {
      await tried.mayBeFirst(tx);
      looksUp.resolve();
      if ((await end.promise) === 'wrong') throw new Error('wrong');
      await tried.succeeded(tx);
    }),
  ).catch((error) => t.match(error, { message: 'wrong' }));
  await looksUp.promise;
  return async (how: 'right' | 'wrong') => {
    end.resolve(how);
    await ended;
  };
}

t.test('a right code writes nothing, and a wrong one is counted once', async (t) => {
  await (await begin('right'))('right');
  await (await begin('right'))('right');
  t.strictSame(await attemptsOf('right'), []);
  await (await begin('wrong'))('wrong');
  t.strictSame(await attemptsOf('wrong'), [1]);
  await (await begin('wrong'))('wrong');
  t.strictSame(await attemptsOf('wrong'), [2]);
  await (await begin('wrong'))('right');
  t.strictSame(await attemptsOf('wrong'), [2], 'a right one is taken off');
});

t.test('attempts at once are counted before they are looked up, but for one', async (t) => {
  const first = await begin('busy');
  const others = [await begin('busy'), await begin('busy')];
  t.strictSame(await attemptsOf('busy'), [2]);
  await others[0]?.('right');
  await others[1]?.('wrong');
  t.strictSame(await attemptsOf('busy'), [1], 'the right one is taken off');
  await first('wrong');
  t.strictSame(await attemptsOf('busy'), [2]);
  const next = await begin('busy');
  t.strictSame(await attemptsOf('busy'), [3]);
  await next('right');
  const apart = [await begin('another'), await begin('third')];
  t.strictSame([await attemptsOf('another'), await attemptsOf('third')], [[], []], 'each session has its own');
  for (const end of apart) await end('right');
});
