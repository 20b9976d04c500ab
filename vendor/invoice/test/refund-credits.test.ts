/**
 * Refunds and their credit notes have the same amounts and taxes, in every sequence of refunds by units, by amount and of
 * named parts, and end at exactly what was charged.
 */

import { type AmountWithTax, type Charge, chargesOf, type OrderDraft, refundOf, shareRefund } from '@carton/order';
import { refundOfAmount } from '@carton/order/testing';
import { bodyOf, exactly } from '@carton/runtime/testing';
import fc from 'fast-check';
import t from 'tap';
import { type ContentLine, totalsOf } from '../content.ts';
import { type ChargeCredit, creditAll, creditCharges, isSameCharge, leftOf } from '../credit-notes/shares.ts';
import { followOrder } from '../following/service.ts';
import { draftOf, eur, invoicesOf, issue, openBox, pay, place, refund, setInvoices } from './helpers.ts';
import { contentOf, rowsOf, saleFields } from './sales.ts';

const scenarios = fc.record({
  ...saleFields,
  credit: fc.constantFrom(0, 0, 30),
  steps: fc.array(
    fc.record({
      by: fc.constantFrom('units', 'units', 'amount', 'part'),
      at: fc.nat(50),
      part: fc.nat(1000),
      end: fc.constantFrom('succeed', 'succeed', 'wait', 'fail'),
    }),
    { maxLength: 14 },
  ),
});
type Scenario = typeof scenarios extends fc.Arbitrary<infer S> ? S : never;

const sumOf = (parts: readonly AmountWithTax[], name: keyof AmountWithTax) =>
  parts.reduce((sum, part) => sum + part[name], 0);

function requireThat(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

const runs = 2000;

t.test('credit notes of random refunds have their amounts and taxes', async (t) => {
  const seen = { sales: 0, units: 0, amounts: 0, parts: 0, waited: 0, failed: 0, unitsAfterAmounts: 0 };
  const check = (scenario: Scenario) => {
    const rows = rowsOf(scenario);
    const charges = chargesOf(rows);
    const { lines } = contentOf(rows);
    let ledger: ChargeCredit[] = [];
    const notes: ContentLine[] = [];
    const waiting: ChargeCredit[][] = [];
    const refundedOf = (charge: Charge) => {
      const own = ledger.filter((each) => isSameCharge(each, charge));
      const quantity = own.reduce((sum, each) => sum + each.quantity, 0);
      return { quantity, amount: sumOf(own, 'amount'), tax: sumOf(own, 'tax') };
    };
    const leftsOf = () =>
      charges.map((charge) => {
        const { quantity, amount, tax } = refundedOf(charge);
        return {
          ...charge,
          quantity: charge.quantity - quantity,
          amount: charge.amount - amount,
          tax: charge.tax - tax,
        };
      });
    const credit = (parts: readonly ChargeCredit[]) => {
      const left = leftOf(lines, notes);
      const amount = sumOf(parts, 'amount');
      const note = amount === totalsOf(left).total ? creditAll(left) : creditCharges(left, parts);
      const { total, tax } = totalsOf(note);
      requireThat(total === amount, `a refund of ${amount} has a credit note of ${total}`);
      requireThat(
        tax === sumOf(parts, 'tax'),
        `the tax ${sumOf(parts, 'tax')} of a refund is ${tax} on its credit note`,
      );
      notes.push(...note);
      for (const { title, parts: own } of leftOf(lines, notes)) {
        for (const { net, taxes } of own) requireThat(Math.min(net, ...taxes) >= 0, `${title} is below zero`);
      }
    };
    const planned = ({ by, at, part }: Omit<Scenario['steps'][number], 'end'>): ChargeCredit[] => {
      const lefts = leftsOf();
      const index = at % charges.length;
      const [charge, left] = [charges[index], lefts[index]] as [Charge, Charge];
      const { lineItemId, shippingCode } = charge;
      if (by === 'units') {
        if (left.quantity === 0) return [];
        const quantity = 1 + (part % left.quantity);
        const before = refundedOf(charge);
        if (before.amount > 0 && before.quantity === 0) seen.unitsAfterAmounts++;
        return [{ lineItemId, shippingCode, quantity, ...refundOf(charge, before, quantity) }];
      }
      if (by === 'part') {
        const amount = Math.floor((left.amount * part) / 1000);
        return [{ lineItemId, shippingCode, quantity: 0, ...refundOfAmount(left, amount) }];
      }
      const amount = Math.floor((sumOf(lefts, 'amount') * part) / 3000);
      return shareRefund(lefts, amount).map((share, position) => {
        const { lineItemId: line, shippingCode: code } = charges[position] as Charge;
        return { lineItemId: line, shippingCode: code, quantity: 0, ...share };
      });
    };
    for (const { end, ...step } of scenario.steps) {
      const parts = planned(step);
      if (sumOf(parts, 'amount') === 0) continue;
      ledger.push(...parts);
      for (const { quantity, amount, tax } of leftsOf()) {
        requireThat(Math.min(quantity, amount, tax) >= 0, `${quantity}, ${amount} and ${tax} are left of a charge`);
      }
      if (end === 'succeed') credit(parts);
      if (end === 'wait') waiting.push(parts);
      // A failed refund is reversed, also if others were planned after it.
      if (end === 'fail') {
        const failed = waiting.shift() ?? parts;
        if (failed !== parts) credit(parts);
        ledger = ledger.filter((part) => !failed.includes(part));
        seen.failed++;
      }
      seen[({ units: 'units', amount: 'amounts', part: 'parts' } as const)[step.by]]++;
      if (end === 'wait') seen.waited++;
    }
    for (const parts of waiting) credit(parts);
    const lefts = leftsOf();
    const rest = shareRefund(lefts, sumOf(lefts, 'amount')).map((share, position) => {
      const { lineItemId, shippingCode } = charges[position] as Charge;
      return { lineItemId, shippingCode, quantity: 0, ...share };
    });
    if (sumOf(rest, 'amount') > 0) credit(rest);
    ledger.push(...rest);
    for (const charge of charges) {
      const { amount, tax } = refundedOf(charge);
      requireThat(amount === charge.amount, `${amount} of ${charge.amount} was refunded`);
      requireThat(tax === charge.tax || charge.amount === 0, `${tax} of the tax ${charge.tax} was refunded`);
    }
    seen.sales++;
  };
  t.doesNotThrow(() => fc.assert(fc.property(scenarios, check), { numRuns: runs }));
  t.equal(seen.sales, runs);
  t.ok(
    Object.values(seen).every((count) => count > runs / 20),
    'every kind was seen',
  );
  t.comment(seen);
});

const box = await openBox(t);
await setInvoices(box, { issueOn: 'payment' });
const line = { variantId: null, productId: null, sku: null, variantTitle: null };
const tax = { kind: 'tax', code: 'vat', label: 'VAT' } as const;
const now = () => new Date().toISOString();

/** Lines of 10.00 at 10 % and 20.00 at 20 %, shipping of 10.00 at 15 %. */
const mixed = (): OrderDraft =>
  draftOf(4650, {
    lines: [
      { ...line, lineId: 'a', title: 'Book', quantity: 1, unitAmount: 1000, totalAmount: 1000 },
      { ...line, lineId: 'b', title: 'Lamp', quantity: 1, unitAmount: 2000, totalAmount: 2000 },
    ],
    adjustments: [
      { kind: 'shipping', code: 'standard', label: 'Standard', amount: 1000 },
      { ...tax, rate: 10, amount: 100, lineId: 'a' },
      { ...tax, rate: 20, amount: 400, lineId: 'b' },
      { ...tax, rate: 15, amount: 150, shippingCode: 'standard' },
    ],
    totals: { subtotal: 3000, discount: 0, shipping: 1000, tax: 650, credit: 0, total: 4650 },
  });

/** The refunds of an order with their credit notes, oldest first: `amount (tax), credit note: amount (tax)`. */
async function comparisonOf(orderId: string): Promise<string[]> {
  await followOrder(box.db, orderId, { type: 'refund.created', createdAt: now() });
  const { items } = await bodyOf(box.staff.get(`/admin/refunds?limit=100&orderId=${orderId}`));
  const notes = await bodyOf(box.staff.get(`/admin/invoices?limit=100&kind=credit_note&orderId=${orderId}`));
  type Noted = { refundId: string; totals: { total: { amount: number }; tax: { amount: number } } };
  return items
    .toReversed()
    .map(({ id, amount, tax }: { id: string; amount: { amount: number }; tax: { amount: number } }) => {
      const own = notes.items.filter((note: Noted) => note.refundId === id).map(({ totals }: Noted) => totals);
      const credited = own
        .map((totals: Noted['totals']) => `${totals.total.amount} (${totals.tax.amount})`)
        .join(' and ');
      return `${amount.amount} (${tax.amount}), credit note: ${credited}`;
    });
}

t.test('a refund by amount and the units after it have credit notes of their amounts', async (t) => {
  const { id, items } = await place(box, mixed());
  const payment = await pay(box, id, 4650);
  await followOrder(box.db, id, { type: 'payment.captured', createdAt: now() });
  await refund(box, payment, { amount: eur(550) });
  t.strictSame(await comparisonOf(id), ['550 (77), credit note: 550 (77)']);
  await refund(box, payment, { items: [{ lineItemId: items[0]?.id, quantity: 1 }] });
  await refund(box, payment, { items: [{ lineItemId: items[1]?.id, amount: eur(1000) }] });
  t.strictSame((await comparisonOf(id)).slice(1), [
    '970 (88), credit note: 970 (88)',
    '1000 (167), credit note: 1000 (167)',
  ]);
  await refund(box, payment, { shipping: true });
  await refund(box, payment, {});
  t.strictSame((await comparisonOf(id)).slice(3), [
    '1014 (132), credit note: 1014 (132)',
    '1116 (186), credit note: 1116 (186)',
  ]);
  const [invoice] = await invoicesOf(box, id);
  t.match(await bodyOf(box.staff.get(`/admin/invoices/${invoice?.id}`)), { credited: eur(4650) });
});

t.test('units of which all was refunded by amount have no credit note of their own', async (t) => {
  const { id, items } = await place(box, mixed());
  const payment = await pay(box, id, 4650);
  await followOrder(box.db, id, { type: 'payment.captured', createdAt: now() });
  await refund(box, payment, { items: [{ lineItemId: items[1]?.id, amount: eur(2400) }] });
  const before = await comparisonOf(id);
  t.equal(before.length, 1);
  await refund(box, payment, { items: [{ lineItemId: items[1]?.id, quantity: 1 }] });
  t.strictSame(await comparisonOf(id), before);
  t.equal((await invoicesOf(box, id)).length, 2, 'the invoice and one credit note');
  await refund(box, payment, {});
  await comparisonOf(id);
  t.match(await bodyOf(box.staff.get(`/admin/invoices/${(await invoicesOf(box, id))[0]?.id}`)), {
    credited: eur(4650),
  });
});

t.test('refunds before the invoice have credit notes of their amounts, too', async (t) => {
  await setInvoices(box, { issueOn: 'manual' });
  const { id, items } = await place(box, mixed());
  const payment = await pay(box, id, 4650);
  await refund(box, payment, { items: [{ lineItemId: items[1]?.id, quantity: 1 }] });
  await refund(box, payment, { amount: eur(333) });
  await bodyOf(issue(box, id));
  t.strictSame(await comparisonOf(id), ['2400 (400), credit note: 2400 (400)', '333 (37), credit note: 333 (37)']);
  await setInvoices(box, { issueOn: 'payment' });
});

t.test('an invoice that staff have credited in full can be replaced after the return of an excess', async (t) => {
  await setInvoices(box, { issueOn: 'manual' });
  const { id } = await place(box, mixed());
  const first = await bodyOf(issue(box, id));
  await bodyOf(box.staff.post(`/admin/invoices/${first.id}/credit-notes`, { reason: 'Wrong buyer' }));
  const payment = await pay(box, id, 4650);
  await box.owner.query('update payments set amount = 5650, captured_amount = 5650 where id = $1', [payment]);
  await box.owner.query('update orders set paid_amount = 5650 where id = $1', [id]);
  t.match(await refund(box, payment, { amount: eur(1000) }), { excess: eur(1000), tax: eur(0), items: exactly([]) });
  t.equal((await issue(box, id)).status, 201);
  await setInvoices(box, { issueOn: 'payment' });
});

/** What a step of a random sequence did is checked against the order, its refunds and its credit notes. */
t.test(
  'random sequences over HTTP: nothing is due that was refunded, and no more is refunded than was paid',
  async (t) => {
    const step = fc.record({
      by: fc.constantFrom('units', 'amount', 'part', 'shipping', 'pay', 'all'),
      at: fc.nat(1),
      part: fc.integer({ min: 1, max: 1000 }),
    });
    const sequences = fc.sample(fc.array(step, { minLength: 3, maxLength: 9 }), { numRuns: 25, seed: 20_261_126 });
    const seen = { refunds: 0, refused: 0, paid: 0, refunded: 0 };
    for (const [number, steps] of sequences.entries()) {
      const { id, items } = await place(box, mixed());
      const payments = [await pay(box, id, number % 3 === 0 ? 4650 : 2000)];
      for (const { by, at, part } of steps) {
        const order = await bodyOf(box.staff.get(`/admin/orders/${id}`));
        const [lineItemId, payment] = [items[at]?.id, payments[part % payments.length] as string];
        const due = order.balance.amount;
        const left = order.items[at].charged.amount - order.items[at].refunded.amount.amount;
        const bodies = {
          units: { items: [{ lineItemId, quantity: 1 }] },
          amount: { amount: eur(part) },
          part: { items: [{ lineItemId, amount: eur(Math.max(1, Math.min(part, left))) }] },
          shipping: { shipping: true },
          all: {},
        };
        if (by === 'pay') {
          if (due > 0) payments.push(await pay(box, id, Math.min(due, part * 3)));
          continue;
        }
        const { status } = await box.staff.post(`/admin/payments/${payment}/refunds`, bodies[by]);
        if (status === 201) seen.refunds++;
        else seen.refused++;
        t.ok(status === 201 || status === 409, `${by} is ${status}`);
        const after = await bodyOf(box.staff.get(`/admin/orders/${id}`));
        if (after.balance.amount !== due)
          t.fail(`a refund of ${by} changed the balance from ${due} to ${after.balance.amount}`);
      }
      const order = await bodyOf(box.staff.get(`/admin/orders/${id}`));
      if (order.balance.amount > 0) payments.push(await pay(box, id, order.balance.amount));
      await followOrder(box.db, id, { type: 'payment.captured', createdAt: now() });
      t.match(await box.staff.post(`/admin/orders/${id}/payments`, { amount: eur(1), method: 'cash' }), {
        status: 409,
      });
      for (const payment of payments) await box.staff.post(`/admin/payments/${payment}/refunds`, {});
      for (const compared of await comparisonOf(id)) {
        const [refunded, credited] = compared.split(', credit note: ');
        if (refunded !== credited) t.fail(`sequence ${number}: ${compared}`);
      }
      const { items: refunds } = await bodyOf(box.staff.get(`/admin/refunds?limit=100&orderId=${id}`));
      const total = (name: 'amount' | 'tax') =>
        refunds.reduce((sum: number, each: Record<string, { amount: number }>) => sum + (each[name]?.amount ?? 0), 0);
      t.strictSame([total('amount'), total('tax')], [4650, 650], `sequence ${number}`);
      const refunded = await bodyOf(box.staff.get(`/admin/orders/${id}`));
      t.match(refunded, { paymentStatus: 'refunded', balance: eur(0) });
      for (const item of refunded.items) t.strictSame(item.refunded.amount, item.charged);
      seen.refunded++;
      seen.paid += payments.length;
    }
    t.ok(seen.refunds > 40 && seen.refused > 10, 'refunds were made and refused');
    t.comment(seen);
  },
);
