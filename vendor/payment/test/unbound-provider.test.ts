/**
 * Payments of a provider whose package is no longer installed: orders stay readable, staff see why no step is
 * possible, and nothing is given up until the provider is back.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { bodyOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { reconcile } from '../reconcile.ts';
import { TestProvider } from '../testing/provider.ts';
import { ageByTwoDays } from '../testing/two-days.ts';
import { contribute, openBox, placeWithPayment } from './helpers.ts';

const box = await openBox(t);
const acme = new TestProvider('acme');
const other = new TestProvider('other', ['wallet']);

/** An order that was paid with the provider, and an open session of a cart. */
async function soldWithAcme() {
  let placed = { orderId: '', id: '' };
  let session = '';
  await t.test('the provider is installed', async (t) => {
    const db = contribute(t, box, acme);
    placed = await placeWithPayment(box, db, 2500);
    acme.payments.set(placed.id, { ...acme.payments.get(placed.id), status: 'authorized' } as never);
    await bodyOf(acme.send(box, { id: 'ev_1', payment: { id: placed.id, state: acme.stateOf(placed.id) } }));
    const shopper = await shopperWith(box, [await createForSale(box, 1999, { stock: 5 }), 1]);
    session = (await bodyOf(shopper.post('/cart/payment-sessions', { paymentMethod: 'card' }))).id;
  });
  return { ...placed, session };
}

const { orderId, id, session } = await soldWithAcme();
const sessionIn = async () => {
  const [row] = await box.db.query('select status, check_at from payment_sessions where tenant_id = $1 and id = $2', [
    session,
  ]);
  return row as { status: string; checkAt: string | null };
};

t.test('beside another provider, steps are 409 with its name', async (t) => {
  contribute(t, box, other);
  t.match(await box.staff.get(`/admin/orders/${orderId}`), { status: 200, body: { paymentStatus: 'paid' } });
  t.match(await box.staff.get(`/admin/payments?orderId=${orderId}`), {
    body: { items: exactly([{ id, provider: 'acme', status: 'captured' }]) },
  });
  for (const step of ['capture', 'void', 'refunds']) {
    t.match(await box.staff.post(`/admin/payments/${id}/${step}`), {
      status: 409,
      body: {
        code: 'payment_step_not_possible',
        detail: 'The payment was made with acme, which has no adapter here.',
      },
    });
  }
  t.match(await acme.send(box, { id: 'ev_2' }), { status: 404, body: { code: 'not_found' } });
  t.match((await box.visitor().get('/payment-methods')).body, { items: exactly([{ provider: 'other' }]) });
});

t.test('without any provider, steps are 503, and the order is read', async (t) => {
  t.match(await box.staff.post(`/admin/payments/${id}/capture`), { status: 503 });
  t.match(await box.staff.get(`/admin/orders/${orderId}`), { status: 200, body: { paymentStatus: 'paid' } });
});

t.test('what waits for it is completed once it is back', async (t) => {
  await t.test('it is away', async (t) => {
    const db = contribute(t, box, other);
    await ageByTwoDays(db);
    await reconcile(db);
    t.match(await sessionIn(), { status: 'given_up', checkAt: String });
    t.equal(acme.stateOf(session).status, 'pending');
  });
  const db = contribute(t, box, acme);
  await ageByTwoDays(db);
  await reconcile(db);
  t.match(await sessionIn(), { checkAt: null });
  t.equal(acme.stateOf(session).status, 'voided');
  t.match(await box.staff.post(`/admin/payments/${id}/refunds`), { status: 201 });
  t.match(acme.stateOf(id), { captured: 2500, refunded: 2500 });
});
