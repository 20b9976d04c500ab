/**
 * Refunds of items and shipping charges, by units: what they cost, at most once, for any provider.
 */
import { paymentRefused } from '@carton/payment';
import { newId } from '@carton/runtime';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { TestProvider } from '../testing/provider.ts';
import { contribute, openBox, pay, place, placeWithPayment, timelineOf } from './helpers.ts';
import { eur, placeTaxed as placeTaxedAt, refundAt, refundedOf as refundedAt } from './taxed-refunds.ts';

const box = await openBox(t);
const placeTaxed = (paid?: number) => placeTaxedAt(box, paid);
const refund = (paymentId: string, body: unknown, key?: string) => refundAt(box, paymentId, body, key);
const refundedOf = (orderId: string) => refundedAt(box, orderId);

t.test('units are refunded for what they cost, until all is refunded', async (t) => {
  const { id, shirts, socks, paymentId } = await placeTaxed();
  t.strictSame(await refundedOf(id), ['Shirt 0 0 of 3451', 'Socks 0 0 of 500', 'sale', 'standard 0 of 173']);
  const first = await refund(paymentId, { items: [{ lineItemId: shirts, quantity: 1 }], reason: 'Too small' });
  t.match(first, {
    status: 201,
    body: {
      amount: eur(1150),
      tax: eur(184),
      items: exactly([{ lineItemId: shirts, quantity: 1, amount: eur(1150), tax: eur(184) }]),
      shipping: exactly([]),
      reason: 'Too small',
      status: 'succeeded',
    },
  });
  t.strictSame(await refundedOf(id), ['Shirt 1 1150 of 3451', 'Socks 0 0 of 500', 'sale', 'standard 0 of 173']);
  const second = await refund(paymentId, {
    items: [
      { lineItemId: socks, quantity: 1 },
      { lineItemId: shirts, quantity: 1 },
    ],
    shipping: ['standard'],
  });
  t.match(second, {
    status: 201,
    body: {
      amount: eur(1824),
      tax: eur(290),
      items: exactly([
        { lineItemId: socks, quantity: 1, amount: eur(500), tax: eur(80) },
        { lineItemId: shirts, quantity: 1, amount: eur(1151), tax: eur(183) },
      ]),
      shipping: exactly([{ code: 'standard', amount: eur(173), tax: eur(27) }]),
    },
  });
  const last = await refund(paymentId, { items: [{ lineItemId: shirts, quantity: 1 }], shipping: true });
  t.match(last, { status: 201, body: { amount: eur(1150), tax: eur(184), shipping: exactly([]) } });
  t.strictSame(await refundedOf(id), ['Shirt 3 3451 of 3451', 'Socks 1 500 of 500', 'sale', 'standard 173 of 173']);
  t.match((await box.staff.get(`/admin/orders/${id}`)).body, { paymentStatus: 'refunded', balance: eur(0) });
  const { items } = (await box.staff.get(`/admin/refunds?orderId=${id}`)).body;
  t.strictSame(items, [last.body, second.body, first.body], 'the list has the same refunds');
});

t.test('a unit or a shipping charge is refunded once', async (t) => {
  const { shirts, socks, paymentId } = await placeTaxed();
  const refused = (detail: string) => ({ status: 409, body: { code: 'already_refunded', detail } });
  const some = (lineItemId: string, quantity: number) => ({ items: [{ lineItemId, quantity }] });
  t.match(await refund(paymentId, some(shirts, 4)), refused('Shirt: 3 of 3 units are left to refund.'));
  t.equal((await refund(paymentId, { ...some(shirts, 2), shipping: true })).status, 201);
  t.match(await refund(paymentId, some(shirts, 2)), refused('Shirt: 1 of 3 units are left to refund.'));
  t.match(
    await refund(paymentId, { shipping: ['standard'] }),
    refused('The shipping charge standard is already refunded.'),
  );
  const nothing = { status: 409, body: { detail: 'There is nothing to refund for this.' } };
  t.match(await refund(paymentId, { shipping: true }), nothing);
  t.match(await refund(paymentId, some(shirts, 1)), { status: 201, body: { amount: eur(1150) } });
  t.match(await refund(paymentId, some(shirts, 1)), refused('Shirt: 0 of 3 units are left to refund.'));
  t.match(await refund(paymentId, some(socks, 1)), { status: 201, body: { amount: eur(500) } });
});

t.test('a refund by units does not exceed what is left of the payment', async (t) => {
  const { id, shirts, socks, paymentId } = await placeTaxed(3000);
  const other = (await pay(box, id, 1124)).body.id;
  const all = { items: [{ lineItemId: shirts, quantity: 3 }] };
  t.match(await refund(paymentId, all), {
    status: 409,
    body: {
      code: 'payment_step_not_possible',
      detail: 'At most 30.00 EUR is left to refund of this payment, and this comes to 34.51 EUR.',
    },
  });
  t.equal((await refund(paymentId, { amount: eur(2000) })).status, 201, 'by amount');
  t.strictSame(await refundedOf(id), ['Shirt 0 1674 of 3451', 'Socks 0 242 of 500', 'sale', 'standard 84 of 173']);
  t.match(await refund(paymentId, { items: [{ lineItemId: shirts, quantity: 2 }] }), {
    status: 409,
    body: { detail: 'At most 10.00 EUR is left to refund of this payment, and this comes to 11.85 EUR.' },
  });
  t.match(await refund(other, { items: [{ lineItemId: socks, quantity: 1 }] }), {
    status: 201,
    body: { amount: eur(258) },
  });
  t.match(await refund(paymentId, { items: [{ lineItemId: socks, quantity: 1 }] }), {
    status: 409,
    body: { code: 'already_refunded' },
  });
});

t.test('an invalid refund by units is 400', async (t) => {
  const { shirts, paymentId } = await placeTaxed();
  const item = { lineItemId: shirts, quantity: 1 };
  const { items: others } = await place(box, 100);
  const bodies: [body: unknown, pointer: string][] = [
    [{ items: [] }, '/items'],
    [{ items: [{ ...item, quantity: 0 }] }, '/items/0/quantity'],
    [{ items: [{ ...item, lineItemId: newId() }] }, '/items/0/lineItemId'],
    [{ items: [{ ...item, lineItemId: others[0]?.id }] }, '/items/0/lineItemId'],
    [{ items: [item, item] }, '/items/1/lineItemId'],
    [{ items: [item], amount: eur(100) }, '/amount'],
    [{ items: [{ lineItemId: shirts }] }, '/items/0'],
    [{ items: [{ ...item, amount: eur(1) }] }, '/items/0'],
    [{ items: [{ lineItemId: shirts, amount: { amount: 1, currency: 'USD' } }] }, '/items/0/amount/currency'],
    [{ items: [{ lineItemId: shirts, amount: eur(0) }] }, '/items/0/amount/amount'],
    [{ shipping: [{ code: 'standard', amount: { amount: 1, currency: 'USD' } }] }, '/shipping/0/amount/currency'],
    [{ shipping: ['standard', { code: 'standard', amount: eur(1) }] }, '/shipping/1'],
    [{ shipping: true, amount: eur(100) }, '/amount'],
    [{ shipping: ['express'] }, '/shipping/0'],
    [{ shipping: false }, '/shipping'],
    [{ shipping: ['standard', 'standard'] }, '/shipping'],
  ];
  for (const [body, pointer] of bodies) {
    const { status, body: problem } = await refund(paymentId, body);
    t.equal(status, 400, JSON.stringify(body));
    t.ok(
      problem.errors.some((error: { pointer: string }) => error.pointer === pointer),
      `${JSON.stringify(problem.errors)} names ${pointer}`,
    );
  }
  t.match((await box.staff.get(`/admin/payments/${paymentId}`)).body, { refunded: eur(0) });
});

t.test('one Idempotency-Key refunds units once', async (t) => {
  const { id, shirts, paymentId } = await placeTaxed();
  const unit = { items: [{ lineItemId: shirts, quantity: 1 }] };
  const key = newId();
  const first = await refund(paymentId, unit, key);
  const second = await refund(paymentId, unit, key);
  t.strictSame([first.status, second.status, second.body.id], [201, 201, first.body.id]);
  t.equal((await refundedOf(id))[0], 'Shirt 1 1150 of 3451');
});

t.test('what a provider refused to refund can be refunded again', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const { orderId, id } = await placeWithPayment(box, db, 2500);
  const state = { status: 'captured' as const, captured: 2500, refunded: 0 };
  await provider.send(box, { id: newId(), payment: { id, state } });
  Object.assign(provider.payments.get(id) ?? {}, state);
  const [{ id: lineItemId }] = (await box.staff.get(`/admin/orders/${orderId}`)).body.items;
  const unit = { items: [{ lineItemId, quantity: 1 }] };
  provider.before = () => {
    throw paymentRefused('The card is closed.');
  };
  const refused = await refund(id, unit);
  t.match(refused, { status: 409, body: { code: 'payment_refused' } });
  t.strictSame(await refundedOf(orderId), ['Linen shirt 0 0 of 2500']);
  t.match(await refund(id, { amount: eur(500) }), { status: 409, body: { code: 'payment_refused' } });
  t.strictSame(await refundedOf(orderId), ['Linen shirt 0 0 of 2500']);
  provider.before = () => {};
  const rounds = await Promise.all(Array.from({ length: 4 }, () => refund(id, unit)));
  t.strictSame(rounds.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  t.strictSame(await refundedOf(orderId), ['Linen shirt 1 2500 of 2500']);
  t.match(provider.stateOf(id), { captured: 2500, refunded: 2500 });
  t.equal((await timelineOf(box, orderId))[0], 'Refunded 25.00 EUR by card');
  const { items } = (await box.staff.get(`/admin/refunds?orderId=${orderId}`)).body;
  t.match(items, exactly([{ status: 'succeeded' }, { status: 'failed' }, { status: 'failed' }]));
});
