/**
 * The keys that sign the sessions of shoppers, and their tokens: replicas share the keys, and a token is valid for one
 * tenant and purpose, in one spelling, until it expires.
 */
import { createSecretKey, randomBytes } from 'node:crypto';
import { mock } from 'node:test';
import t from 'tap';
import { SessionKeys } from '../box/session-keys.ts';
import { issueToken, readToken, sessionDays } from '../box/session-token.ts';
import { newId } from '../db/id.ts';
import { createTestBox } from '../testing/index.ts';

const box = await createTestBox(t, { database: 'empty' });
const day = 24 * 60 * 60 * 1000;

/** Another replica of the box, with its own cache of keys. */
const replica = () => new SessionKeys(box.box.database);
const age = (days: number) =>
  box.owner.query(`update session_keys set created_at = created_at - make_interval(secs => $1)`, [days * 24 * 60 * 60]);
const keyIds = async () =>
  (await box.owner.query<{ id: number }>('select id from session_keys order by id')).map(({ id }) => id);

t.test('replicas share their keys, and all know a new key before it signs', async (t) => {
  await box.owner.query('delete from session_keys');
  const [one, other] = [replica(), replica()];
  await Promise.all([one.ready(), other.ready()]);
  t.strictSame(await keyIds(), [1]);
  const sessionId = randomBytes(32).toString('base64url');
  const before = one.issue(box.id, sessionId);
  t.match(await other.read(box.id, before), { sessionId });

  await age(31);
  const later = replica();
  await later.ready();
  t.equal(keyOf(later.issue(box.id, sessionId)), 1, 'the key is old: a new one is created but not used yet');
  await untilKeys(2);
  t.equal(keyOf(later.issue(box.id, sessionId)), 1);
  await age(2 / (24 * 60));
  const [current, stale] = [replica(), replica()];
  await current.ready();
  const after = current.issue(box.id, sessionId);
  t.equal(keyOf(after), 2);
  await stale.ready();
  t.match(await stale.read(box.id, after), { sessionId });
  t.match(await stale.read(box.id, before), { sessionId }, 'tokens of the former key stay valid');

  for (const key of [3, 4, 5]) {
    await age(31);
    const next = replica();
    await next.ready();
    next.issue(box.id, sessionId);
    await untilKeys(key);
  }
  t.strictSame(await keyIds(), [2, 3, 4, 5], 'a key is removed when all its tokens have expired');
  t.equal(await stale.read(newId(), after), null);
});

t.test('a token is invalid for another key with the same id, as after a restored backup', (t) => {
  const [key, same] = [randomBytes(32), randomBytes(32)].map((secret) => ({ id: 1, secret: createSecretKey(secret) }));
  const token = issueToken(key as never, box.id, 'e'.repeat(43));
  t.match(readToken(key as never, box.id, token), { sessionId: 'e'.repeat(43) });
  t.equal(readToken(same as never, box.id, token), null);
  t.equal(readToken(key as never, box.id, token, Date.now() + sessionDays * day), null);
  t.end();
});

t.test('a token that was verified before expires, and is none of another tenant or purpose', async (t) => {
  const keys = replica();
  await keys.ready();
  const session = keys.issue(box.id, 'f'.repeat(43));
  const stamp = keys.issue(`${box.id} form`, 'f'.repeat(43));
  for (const [tenantId, token] of [
    [box.id, session],
    [`${box.id} form`, stamp],
  ] as const) {
    t.match(await keys.read(tenantId, token), { sessionId: 'f'.repeat(43) });
    t.match(await keys.read(tenantId, token), { sessionId: 'f'.repeat(43) }, 'once more');
  }
  t.equal(await keys.read(newId(), session), null);
  t.equal(await keys.read(`${box.id} form`, session), null);
  t.equal(await keys.read(box.id, stamp), null);
  t.equal(await keys.read(box.id, `form ${stamp}`), null);
  mock.timers.enable({ apis: ['Date'], now: Date.now() + sessionDays * day });
  t.teardown(() => mock.timers.reset());
  t.equal(await keys.read(box.id, session), null);
});

t.test('a token is valid in one spelling only, without the bits that decoding ignores', (t) => {
  const key = { id: 1, secret: createSecretKey(randomBytes(32)) };
  const token = issueToken(key, box.id, 'e'.repeat(43));
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
  const valid = letters.map((last) => token.slice(0, -1) + last).filter((other) => readToken(key, box.id, other));
  t.strictSame(valid, [token]);
  t.end();
});

function keyOf(token: string): number {
  return Buffer.from(token.slice(43), 'base64url').readUInt16BE();
}

async function untilKeys(newest: number): Promise<void> {
  for (;;) {
    const ids = await keyIds();
    // The oldest is removed after the newest is created.
    if (ids.at(-1) === newest && (newest < 5 || ids[0] === 2)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
