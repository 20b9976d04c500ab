/**
 * Attempts at codes that are mostly right: the first of a client is counted once it fails, those beside it before.
 */
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { guardTrustedCode } from '../attempts/codes.ts';
import { packages } from '../testing/index.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });

async function attemptsOf(session: string): Promise<number[]> {
  const rows = await box.owner.query<{ attempts: number }>(
    'select attempts from auth_attempts where tenant_id = $1 and kind = $2 order by attempts',
    [box.id, `${session} code session`],
  );
  return rows.map(({ attempts }) => attempts);
}
/** A realm of its own keeps the counts of a session apart. */
const guard = (session: string) => guardTrustedCode(box.db, { realm: session, member: null, session, address: null });

t.test('a right code writes nothing, and a wrong one is counted once', async (t) => {
  await (await guard('right')).succeeded(box.db);
  await (await guard('right')).succeeded(box.db);
  t.strictSame(await attemptsOf('right'), []);
  await (await guard('wrong')).failed(box.db);
  t.strictSame(await attemptsOf('wrong'), [1]);
  await (await guard('wrong')).failed(box.db);
  t.strictSame(await attemptsOf('wrong'), [2]);
});

t.test('attempts at once are counted before they are looked up, but for one', async (t) => {
  const first = await guard('busy');
  const others = [await guard('busy'), await guard('busy')];
  t.strictSame(await attemptsOf('busy'), [2]);
  await others[0]?.succeeded(box.db);
  await others[1]?.failed(box.db);
  t.strictSame(await attemptsOf('busy'), [1], 'the right one is taken off');
  await first.failed(box.db);
  t.strictSame(await attemptsOf('busy'), [2]);
  const next = await guard('busy');
  t.strictSame(await attemptsOf('busy'), [3]);
  await next.succeeded(box.db);
  const apart = [await guard('another'), await guard('third')];
  t.strictSame([await attemptsOf('another'), await attemptsOf('third')], [[], []], 'each session has its own');
  for (const each of apart) await each.succeeded(box.db);
});
