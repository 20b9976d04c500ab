/**
 * Consent to the store's terms: asked for if the store has terms, and stored with the order.
 */
import { shopperWith } from '@carton/cart/testing';
import { createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { buyer, createArticle, snapshot } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const mug = await createArticle(box, 'mug', 1250, 1000);
const change = (settings: unknown) => box.staff.patch('/admin/checkout-settings', settings);
const accept = (version: string) => ({ ...buyer, terms: { version } });
const termsOf = async (id: string) => (await box.staff.get(`/admin/orders/${id}`)).body.terms;

t.test('a store has no terms unless staff set their version', async (t) => {
  t.match((await box.staff.get('/admin/checkout-settings')).body, { termsVersion: null, termsRequired: true });
  const shopper = await shopperWith(box, [mug, 1]);
  t.equal((await shopper.get('/checkout')).body.terms, null);
  const { status, body } = await shopper.post('/checkout', accept('2026-11'));
  t.equal(status, 201, 'a version that the store does not have changes nothing');
  t.equal(await termsOf(body.id), null);
});

t.test('an order needs consent to the current version, and stores it', async (t) => {
  await change({ termsVersion: '2026-11' });
  const shopper = await shopperWith(box, [mug, 1]);
  const before = await snapshot(box);
  t.match((await shopper.get('/checkout')).body, {
    ready: true,
    terms: { version: '2026-11', required: true },
    requirements: exactly([]),
  });
  const refused = (detail: string) => ({
    status: 400,
    body: {
      code: 'terms_not_accepted',
      detail: 'Accept the terms in version 2026-11.',
      errors: exactly([{ in: 'body', pointer: '/terms', detail }]),
    },
  });
  t.match(await shopper.post('/checkout', buyer), refused('is required by this store'));
  t.match(await shopper.post('/checkout', accept('2026-10')), refused('must have the version 2026-11'));
  t.match(await shopper.post('/checkout', { ...buyer, terms: { version: '' } }), {
    status: 400,
    body: { code: 'invalid_request' },
  });
  t.strictSame(await snapshot(box), before);
  const placed = await shopper.post('/checkout', accept('2026-11'));
  t.equal(placed.status, 201);
  t.notOk('terms' in placed.body, 'only staff see it');
  t.strictSame(await termsOf(placed.body.id), { version: '2026-11', acceptedAt: placed.body.createdAt });
  const { items } = (await box.staff.get('/admin/orders?limit=1')).body;
  t.match(items[0].terms, { version: '2026-11' });
  await change({ termsVersion: '2026-12' });
  t.match(await termsOf(placed.body.id), { version: '2026-11' }, 'a later version does not change orders');
});

t.test('consent may be optional, but not to another version', async (t) => {
  await change({ termsVersion: '2026-11', termsRequired: false });
  const [one, other] = [await shopperWith(box, [mug, 1]), await shopperWith(box, [mug, 1])];
  t.match((await one.get('/checkout')).body.terms, { version: '2026-11', required: false });
  t.match(await one.post('/checkout', accept('2026-10')), { status: 400, body: { code: 'terms_not_accepted' } });
  const without = await one.post('/checkout', buyer);
  t.strictSame([without.status, await termsOf(without.body.id)], [201, null]);
  const accepted = await other.post('/checkout', accept('2026-11'));
  t.match(await termsOf(accepted.body.id), { version: '2026-11' });
});
