/**
 * Carts belong to sessions that the box issued: a forged session has no cart and its first write starts a new session.
 * Carts of sessions from an earlier release remain accessible.
 */
import { randomBytes } from 'node:crypto';
import { shopperWith } from '@carton/cart/testing';
import { erasePerson, hashToken } from '@carton/runtime';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { countRows, forSale, openBox, quantitiesOf, sessionOf } from './helpers.ts';

const box = await openBox(t);
const shirt = await forSale(box);
const item = { variantId: shirt.variantId, quantity: 1 };

t.test('two shoppers who forge the same session share no cart', async (t) => {
  const headers = { 'x-session-id': 'c'.repeat(43) };
  const [one, other] = [
    await box.visitor().post('/cart/items', item, { headers }),
    await box.visitor().post('/cart/items', item, { headers }),
  ];
  t.strictSame([one.status, other.status], [201, 201]);
  t.not(one.body.id, other.body.id);
  const tokens = [one, other].map((answer) => answer.headers.get('x-session-id') as string);
  t.equal(new Set([...tokens, headers['x-session-id']]).size, 3);
  t.match((await box.visitor().get('/cart', { headers })).body, { id: null, items: exactly([]) });
  for (const [at, { body }] of [one, other].entries()) {
    const own = { headers: { 'x-session-id': tokens[at] as string } };
    t.equal((await box.visitor().get('/cart', own)).body.id, body.id);
  }
});

t.test('with a forged session, writes to a missing cart create none', async (t) => {
  const before = await countRows(box, 'carts');
  const headers = { 'x-session-id': 'malformed' };
  const path = '/cart/items/0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';
  t.match(await box.visitor().patch(path, { quantity: 1 }, { headers }), { status: 404 });
  t.match(await box.visitor().delete(path, { headers }), { status: 404 });
  t.match(await box.visitor().delete('/cart', { headers }), { status: 204 });
  t.equal(await countRows(box, 'carts'), before);
});

t.test('an erasure leaves the session without its cart, and forgets the responses to it', async (t) => {
  const shopper = box.shopper();
  const engraved = { ...item, properties: { engraving: 'Lise Meitner' } };
  const key = { headers: { 'idempotency-key': 'engraved' } };
  const { id } = (await shopper.post('/cart/items', engraved, key)).body;
  await shopper.patch('/cart', { email: 'Lise@physics.example' });
  const responsesWith = (text: string) =>
    box.db.query('select key from idempotency_keys where tenant_id = $1 and strpos(body, $2) > 0', [text]);
  t.strictSame(await responsesWith('Meitner'), [{ key: 'engraved' }]);
  t.equal((await shopper.get('/cart')).body.id, id);
  await erasePerson(box.db, { memberId: null, emails: ['lise@physics.example'] });
  t.match((await shopper.get('/cart')).body, { id: null, items: exactly([]) });
  t.strictSame(await responsesWith('Meitner'), []);
});

t.test('a session of an earlier release keeps its cart, under a session that nobody else knows', async (t) => {
  const old = await openBox(t, { database: 'empty' });
  await old.owner.query(
    `update applied_migrations set applied_at = now() - interval '1 day' where file like '20260301%'`,
  );
  const sold = await forSale(old);
  const shopper = await shopperWith(old, [sold, 2]);
  const name = randomBytes(32).toString('base64url');
  const { hash } = sessionOf(shopper);
  const planted = { headers: { 'x-session-id': name } };
  await old.owner.query('update carts set session_hash = $1 where session_hash = $2', [hashToken(name), hash]);
  t.match((await shopper.get('/cart')).body, { id: null });
  t.match((await old.visitor().get('/cart', planted)).body, { id: null }, 'it is not older than the upgrade');

  await old.owner.query(`update carts set created_at = now() - interval '1 hour'`);
  const returning = old.shopper();
  returning.headers['x-session-id'] = name;
  t.strictSame(quantitiesOf((await returning.get('/cart')).body), [[sold.variantId, 2]]);
  t.equal(returning.headers['x-session-id'].length, 73, 'under a signed session');
  t.not(returning.headers['x-session-id'].slice(0, 43), name);
  const { status, body } = await returning.post('/cart/items', { variantId: sold.variantId, quantity: 1 });
  t.strictSame([status, quantitiesOf(body)], [201, [[sold.variantId, 3]]]);
});
