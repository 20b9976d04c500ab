/**
 * Refunds of an amount: how it is shared among items and shipping charges, and what their units then cost.
 */
import { newId } from '@carton/runtime';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { refundPaymentOrUnits } from '../refunds/free-units.ts';
import { openBox } from './helpers.ts';
import { eur, placeTaxed as placeTaxedAt, refundAt, refundedOf as refundedAt } from './taxed-refunds.ts';

const box = await openBox(t);
const placeTaxed = (paid?: number) => placeTaxedAt(box, paid);
const refund = (paymentId: string, body: unknown, key?: string) => refundAt(box, paymentId, body, key);
const refundedOf = (orderId: string) => refundedAt(box, orderId);

t.test('an amount is shared among what is left, and units then cost the rest', async (t) => {
  const { id, shirts, socks, paymentId } = await placeTaxed();
  const byAmount = await refund(paymentId, { amount: eur(1000) });
  t.match(byAmount, {
    status: 201,
    body: {
      amount: eur(1000),
      excess: eur(0),
      tax: eur(160),
      items: exactly([
        { lineItemId: shirts, quantity: 0, amount: eur(837), tax: eur(134) },
        { lineItemId: socks, quantity: 0, amount: eur(121), tax: eur(19) },
      ]),
      shipping: exactly([{ code: 'standard', quantity: 0, amount: eur(42), tax: eur(7) }]),
    },
  });
  t.match(await refund(paymentId, { items: [{ lineItemId: shirts, quantity: 1 }], shipping: true }), {
    status: 201,
    body: {
      items: exactly([{ quantity: 1, amount: eur(871), tax: eur(139) }]),
      shipping: exactly([{ quantity: 1, amount: eur(131), tax: eur(20) }]),
    },
  });
  const last = await refund(paymentId, {});
  t.match(last, {
    status: 201,
    body: {
      amount: eur(4124 - 1000 - 871 - 131),
      tax: eur(658 - 160 - 139 - 20),
      items: exactly([{ lineItemId: shirts }, { lineItemId: socks }]),
      shipping: exactly([]),
    },
  });
  t.strictSame(await refundedOf(id), ['Shirt 1 3451 of 3451', 'Socks 0 500 of 500', 'sale', 'standard 173 of 173']);
  t.match((await box.staff.get(`/admin/orders/${id}`)).body, { paymentStatus: 'refunded', balance: eur(0) });
  t.match(await refund(paymentId, { items: [{ lineItemId: socks, amount: eur(1) }] }), {
    status: 409,
    body: { detail: '41.24 EUR of this payment was refunded, so nothing is left to refund.' },
  });
});

t.test('an amount can name items and shipping charges, up to what is left of each', async (t) => {
  const { id, shirts, socks, paymentId } = await placeTaxed();
  const named = await refund(paymentId, {
    items: [
      { lineItemId: shirts, amount: eur(600) },
      { lineItemId: socks, quantity: 1 },
    ],
    shipping: [{ code: 'standard', amount: eur(100) }],
  });
  t.match(named, {
    status: 201,
    body: {
      amount: eur(1200),
      tax: eur(192),
      items: exactly([
        { lineItemId: shirts, quantity: 0, amount: eur(600), tax: eur(96) },
        { lineItemId: socks, quantity: 1, amount: eur(500), tax: eur(80) },
      ]),
      shipping: exactly([{ code: 'standard', quantity: 0, amount: eur(100), tax: eur(16) }]),
    },
  });
  t.strictSame(await refundedOf(id), ['Shirt 0 600 of 3451', 'Socks 1 500 of 500', 'sale', 'standard 100 of 173']);
  const refused = (detail: string) => ({ status: 409, body: { code: 'already_refunded', detail } });
  t.match(
    await refund(paymentId, { items: [{ lineItemId: shirts, amount: eur(2852) }] }),
    refused('Shirt: €28.51 of €34.51 is left to refund.'),
  );
  t.match(
    await refund(paymentId, { shipping: [{ code: 'standard', amount: eur(74) }] }),
    refused('The shipping charge standard: €0.73 of €1.73 is left to refund.'),
  );
  const rest = { items: [{ lineItemId: shirts, amount: eur(2851) }], shipping: ['standard'] };
  t.match(await refund(paymentId, rest), { status: 201, body: { amount: eur(2924), tax: eur(658 - 192) } });
  t.strictSame(await refundedOf(id), ['Shirt 0 3451 of 3451', 'Socks 1 500 of 500', 'sale', 'standard 173 of 173']);
});

t.test('what an earlier release refunded by amount is shared among what is left', async (t) => {
  const { id, shirts, paymentId } = await placeTaxed();
  await refund(paymentId, { amount: eur(1000) });
  await box.db.query('delete from order_refund_items where tenant_id = $1 and order_id = $2', [id]);
  await box.db.query('update refunds set tax = null where tenant_id = $1 and order_id = $2', [id]);
  const { items } = (await box.staff.get(`/admin/refunds?orderId=${id}`)).body;
  t.match(items, exactly([{ amount: eur(1000), tax: null, items: exactly([]), shipping: exactly([]) }]));
  t.match(await refund(paymentId, { items: [{ lineItemId: shirts, quantity: 3 }] }), {
    status: 201,
    body: { amount: eur(3451 - 837), tax: eur(551 - 134) },
  });
  t.strictSame(await refundedOf(id), ['Shirt 3 3451 of 3451', 'Socks 0 121 of 500', 'sale', 'standard 42 of 173']);
  t.match(await refund(paymentId, {}), { status: 201, body: { amount: eur(510), tax: eur(658 - 160 - 417) } });
});

t.test('units of which all was refunded by amount cost nothing; a shipping charge is refunded already', async (t) => {
  const { id, shirts, socks, paymentId } = await placeTaxed();
  await refund(paymentId, {
    items: [{ lineItemId: shirts, amount: eur(3451) }],
    shipping: [{ code: 'standard', amount: eur(173) }],
  });
  t.match(await refund(paymentId, { items: [{ lineItemId: shirts, quantity: 1 }] }), {
    status: 201,
    body: { amount: eur(0), items: exactly([{ quantity: 1, amount: eur(0) }]) },
  });
  t.match(await refund(paymentId, { shipping: ['standard'] }), { status: 409, body: { code: 'already_refunded' } });
  t.match(await refund(paymentId, { shipping: true }), {
    status: 409,
    body: { detail: 'There is nothing to refund for this.' },
  });
  const units = [shirts, socks].map((lineItemId) => ({ lineItemId, quantity: 1 }));
  t.match(await refund(paymentId, { items: units }), {
    status: 201,
    body: { amount: eur(500), items: exactly([{ amount: eur(0) }, { amount: eur(500) }]) },
  });
  t.strictSame(await refundedOf(id), ['Shirt 2 3451 of 3451', 'Socks 1 500 of 500', 'sale', 'standard 173 of 173']);
  const request = { workId: newId(), items: [{ lineItemId: shirts, quantity: 1 }] };
  for (let attempt = 0; attempt < 2; attempt++) {
    const once = { id: request.workId, amount: eur(0) };
    await t.resolveMatch(refundPaymentOrUnits(box.db, paymentId, request), once);
  }
  t.equal((await refundedOf(id))[0], 'Shirt 3 3451 of 3451', 'once for an Idempotency-Key');
});
