/**
 * The invoice of an order against choices of its payment method and payments, at once: all invoices and credit notes
 * together are what is charged.
 */
import { bodyOf, raceRounds, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { eur, invoicesOf, issue, openBox, packages, pay, placeTaxed, refund } from './helpers.ts';

const box = await openBox(t, { packages: [...packages, '@carton/tax'], environment: { PAYMENT_ADAPTERS: 'manual' } });
for (const [at, { id }] of (await box.staff.get('/admin/payment-methods')).body.items.entries()) {
  await bodyOf(box.staff.patch(`/admin/payment-methods/${id}`, { fees: [eur(300 + 200 * at)] }));
}
t.setTimeout(3_600_000);

const choose = (orderId: string, paymentMethod: string) =>
  box.visitor().post(`/checkout/${orderId}/payment-sessions`, { paymentMethod });

t.test('an invoice, choices and a refund of one order at once', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { id } = await placeTaxed(box);
    const payment = await pay(box, id, 1000);
    await Promise.all([
      issue(box, id),
      choose(id, 'cash_on_delivery'),
      choose(id, 'bank_transfer'),
      refund(box, payment, { amount: eur(100 + round) }),
    ]);
    await choose(id, round % 2 === 0 ? 'cash_on_delivery' : 'bank_transfer');
    await untilDelivered(box);
    const found = await invoicesOf(box, id);
    const sumOf = (kind: string) =>
      found.filter((each) => each.kind === kind).reduce((sum, { totals }) => sum + totals.total.amount, 0);
    const { totals } = (await box.staff.get(`/admin/orders/${id}`)).body;
    t.equal(sumOf('invoice') - sumOf('credit_note'), totals.total.amount - 100 - round);
  }
});
