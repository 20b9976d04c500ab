/**
 * Random sequences of captures, refunds and cancellations: nothing is due that was refunded, nothing is refunded beyond what
 * was received, and what is kept in the end is what is charged.
 */

import { balanceOf, type Charge, chargedOf, refundedChargeOf, refundOf, shareRefund } from '@carton/order';
import { newId } from '@carton/runtime';
import { bodyOf } from '@carton/runtime/testing';
import fc from 'fast-check';
import t from 'tap';
import { excessIn } from '../payments/amounts.ts';
import { statusOf } from '../payments/bookkeeping.ts';
import { closeCanceled } from '../steps/cancellation.ts';
import { TestProvider } from '../testing/provider.ts';
import { contribute, openBox, pay, placeWithPayment } from './helpers.ts';

const steps = fc.array(
  fc.record({
    by: fc.constantFrom('capture', 'capture', 'amount', 'amount', 'units', 'end', 'fail', 'cancel'),
    part: fc.integer({ min: 1, max: 1000 }),
  }),
  { minLength: 1, maxLength: 16 },
);
const sales = fc.record({
  lines: fc.array(fc.record({ quantity: fc.integer({ min: 1, max: 4 }), amount: fc.nat(5000) }), {
    minLength: 1,
    maxLength: 4,
  }),
  steps,
});
type Sale = typeof sales extends fc.Arbitrary<infer S> ? S : never;

interface Part {
  at: number;
  quantity: number;
  amount: number;
}

interface Pending {
  amount: number;
  excessAmount: number;
  parts: Part[];
}

function requireThat(condition: boolean, message: () => string): void {
  if (!condition) throw new Error(message());
}

const sumOf = (parts: readonly { amount: number }[]) => parts.reduce((sum, { amount }) => sum + amount, 0);

/** An order with its payments as one, by the rules that the packages use. */
class Model {
  readonly order = {
    status: 'placed' as 'placed' | 'canceled',
    totalAmount: 0,
    paidAmount: 0,
    refundedAmount: 0,
    excessRefundedAmount: 0,
    disputedAmount: 0,
  };
  readonly charges: Charge[];
  ledger: Part[] = [];
  pending: Pending[] = [];

  constructor({ lines }: Pick<Sale, 'lines'>) {
    this.charges = lines.map((line, at) => ({ lineItemId: `${at}`, shippingCode: null, tax: 0, ...line }));
    this.order.totalAmount = sumOf(lines);
  }

  get refundable(): number {
    return this.order.paidAmount - this.order.refundedAmount - sumOf(this.pending);
  }

  refunded(at: number) {
    const own = this.ledger.filter((part) => part.at === at);
    return { quantity: own.reduce((sum, { quantity }) => sum + quantity, 0), amount: sumOf(own), tax: 0 };
  }

  begin(amount: number, excessAmount: number, parts: Part[]): void {
    if (amount <= 0) return;
    this.ledger.push(...parts);
    this.pending.push({ amount, excessAmount, parts });
  }

  refundAmount(amount: number): void {
    const excess = excessIn(amount, this.order, this.pending, 0);
    const lefts = this.charges.map((charge, at) => ({ amount: charge.amount - this.refunded(at).amount, tax: 0 }));
    const most = sumOf(lefts);
    requireThat(amount - excess <= most, () => `${amount - excess} of ${most} is refunded of what is left`);
    const shares = shareRefund(lefts, amount - excess);
    this.begin(
      amount,
      excess,
      shares.map(({ amount: share }, at) => ({ at, quantity: 0, amount: share })),
    );
  }

  refundUnits(random: number): void {
    const at = random % this.charges.length;
    const charge = this.charges[at] as Charge;
    const before = this.refunded(at);
    if (before.quantity === charge.quantity) return;
    const quantity = 1 + (random % (charge.quantity - before.quantity));
    const { amount } = refundOf(charge, before, quantity);
    if (amount <= this.refundable) this.begin(amount, 0, [{ at, quantity, amount }]);
  }

  /** What a provider's payment gives back by itself. */
  align(): void {
    const returning = this.pending.reduce((sum, { excessAmount }) => sum + excessAmount, 0);
    if (this.order.status === 'canceled') this.refundAmount(this.refundable);
    else this.refundAmount(Math.max(0, -balanceOf(this.order) - returning));
  }

  end(isSuccess: boolean): void {
    const refund = this.pending.shift();
    if (!refund) return;
    if (isSuccess) {
      const before = balanceOf(this.order);
      this.order.refundedAmount += refund.amount;
      this.order.excessRefundedAmount += refund.excessAmount;
      const returned = this.order.status === 'canceled' ? refund.amount : refund.excessAmount;
      requireThat(balanceOf(this.order) === before + returned, () => 'a refund changed the balance');
    } else this.ledger = this.ledger.filter((part) => !refund.parts.includes(part));
  }

  check(): void {
    const { order } = this;
    const kept = order.paidAmount - order.refundedAmount;
    const waiting = sumOf(this.pending.flatMap(({ parts }) => parts));
    const refunded = sumOf(this.ledger) - waiting;
    requireThat(
      refundedChargeOf(order) === refunded,
      () => `${refundedChargeOf(order)} is refunded, ${refunded} of lines`,
    );
    requireThat(this.refundable >= 0, () => `${-this.refundable} is refunded beyond what was received`);
    requireThat(sumOf(this.ledger) <= order.totalAmount, () => 'more is refunded than the total');
    const due = Math.max(0, balanceOf(order));
    requireThat(due <= Math.max(0, order.totalAmount - refunded - kept), () => `${due} is due`);
    for (const [at, charge] of this.charges.entries()) {
      const { quantity, amount } = this.refunded(at);
      requireThat(amount >= 0 && amount <= charge.amount, () => `${amount} of ${charge.amount} is refunded`);
      requireThat(quantity >= 0 && quantity <= charge.quantity, () => `${quantity} of ${charge.quantity} are refunded`);
    }
  }
}

const runs = 4000;

t.test('of every sequence what is kept in the end is what is charged', async (t) => {
  const seen = { sales: 0, canceled: 0, excess: 0, failed: 0, refunded: 0, partly: 0 };
  const check = (sale: Sale) => {
    const model = new Model(sale);
    const { order } = model;
    for (const { by, part } of sale.steps) {
      if (by === 'capture') order.paidAmount += Math.ceil((order.totalAmount * part) / 700);
      if (by === 'amount') model.refundAmount(Math.floor((model.refundable * part) / 1500));
      if (by === 'units') model.refundUnits(part);
      if (by === 'end' || by === 'fail') model.end(by === 'end');
      if (by === 'fail') seen.failed++;
      if (by === 'cancel' && part > 700) order.status = 'canceled';
      if (by === 'capture' || by === 'cancel') model.align();
      model.check();
    }
    while (model.pending.length > 0) model.end(true);
    model.align();
    while (model.pending.length > 0) model.end(true);
    model.check();
    const due = balanceOf(order);
    requireThat(due >= 0, () => `${-due} is owed to the shopper`);
    order.paidAmount += due;
    requireThat(
      order.paidAmount - order.refundedAmount === chargedOf(order),
      () => 'what is kept is not what is charged',
    );
    const status = statusOf(order, { authorized: 0, voided: false });
    const refunded = refundedChargeOf(order);
    const expected = refunded === 0 ? 'paid' : chargedOf(order) === 0 ? 'refunded' : 'partially_refunded';
    if (order.status === 'placed') requireThat(status === expected, () => `${status} is not ${expected}`);
    seen.sales++;
    if (order.status === 'canceled') seen.canceled++;
    if (order.excessRefundedAmount > 0) seen.excess++;
    if (status === 'refunded') seen.refunded++;
    if (status === 'partially_refunded') seen.partly++;
  };
  t.doesNotThrow(() => fc.assert(fc.property(sales, check), { numRuns: runs }));
  t.equal(seen.sales, runs);
  t.ok(
    Object.values(seen).every((count) => count > runs / 40),
    'every kind was seen',
  );
  t.comment(seen);
});

const box = await openBox(t);
const eur = (amount: number) => ({ amount, currency: 'EUR' });

t.test('the same over HTTP, with a provider that reports captures and refunds of its own', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const [method, wallet] = (await box.staff.get('/admin/payment-methods')).body.items;
  await box.staff.patch(`/admin/payment-methods/${method.id}`, { captureMode: 'manual' });
  await bodyOf(box.staff.patch(`/admin/payment-methods/${wallet.id}`, { fees: [eur(300)] }));
  const step = fc.record({
    by: fc.constantFrom(
      'report',
      'report',
      'dashboard',
      'pay',
      'refund',
      'refund',
      'units',
      'cancel',
      'choose',
      'choose',
    ),
    part: fc.integer({ min: 14, max: 1000 }),
  });
  const sequences = fc.sample(fc.array(step, { minLength: 4, maxLength: 10 }), { numRuns: 40, seed: 20_261_126 });
  const seen = { canceled: 0, excess: 0, refunds: 0, fees: 0, removed: 0 };
  for (const [number, steps] of sequences.entries()) {
    const { orderId, id } = await placeWithPayment(box, db, 2500);
    const [{ id: lineItemId }] = (await bodyOf(box.staff.get(`/admin/orders/${orderId}`))).items;
    const recorded: string[] = [];
    const report = async (captured: number, refunded: number) => {
      const state = { status: captured < 2500 ? ('authorized' as const) : ('captured' as const), captured, refunded };
      Object.assign(provider.payments.get(id) ?? {}, state);
      await provider.send(box, { id: newId(), payment: { id, state } });
    };
    for (const { by, part } of steps) {
      const { captured, refunded } = provider.stateOf(id);
      if (by === 'report') await report(Math.min(2500, captured + part * 2), refunded);
      if (by === 'dashboard') await report(captured, refunded + Math.floor(((captured - refunded) * part) / 2000));
      if (by === 'pay') {
        const paid = await pay(box, orderId, part);
        if (paid.status === 201) recorded.push(paid.body.id);
      }
      const body = by === 'units' ? { items: [{ lineItemId, quantity: 1 }] } : { amount: eur(part) };
      const target = recorded[part % 3] ?? id;
      if (by === 'refund' || by === 'units') await box.staff.post(`/admin/payments/${target}/refunds`, body);
      if (by === 'choose') {
        for (const paymentMethod of [['wallet'], ['card'], ['wallet', 'card']][part % 3] ?? []) {
          await box.visitor().post(`/checkout/${orderId}/payment-sessions`, { paymentMethod });
        }
      }
      if (by === 'cancel' && part > 700) await box.staff.post(`/admin/orders/${orderId}/cancel`);
      await closeCanceledIfSo(orderId);
    }
    const order = await bodyOf(box.staff.get(`/admin/orders/${orderId}`));
    const { items: payments } = await bodyOf(box.staff.get(`/admin/payments?orderId=${orderId}`));
    const { items: refunds } = await bodyOf(
      box.staff.get(`/admin/refunds?limit=100&orderId=${orderId}&status=succeeded`),
    );
    type Amounts = Record<string, { amount: number }>;
    const total = (of: Amounts[], name: string) => of.reduce((sum, each) => sum + (each[name]?.amount ?? 0), 0);
    const [received, returned, excess] = [
      total(payments, 'captured'),
      total(payments, 'refunded'),
      total(refunds, 'excess'),
    ];
    const fees = order.adjustments as Record<'amount' | 'refunded', { amount: number }>[];
    const ofLines = order.items[0].refunded.amount.amount + total(fees, 'refunded');
    t.equal(order.totals.total.amount, 2500 + 300 * fees.length, `the total of sequence ${number}`);
    t.ok(returned <= received, `sequence ${number} refunds what was received`);
    t.strictSame(
      [total(refunds, 'amount'), ofLines],
      [returned, returned - excess],
      `the refunds of sequence ${number}`,
    );
    const charged = order.status === 'canceled' ? 0 : order.totals.total.amount - ofLines;
    t.equal(order.balance.amount, charged - (received - returned), `the balance of sequence ${number}`);
    const again = await pay(box, orderId, Math.max(0, order.balance.amount) + 1);
    t.equal(again.status, 409, `no more than the balance of sequence ${number} can be paid`);
    const { items: entries } = await bodyOf(box.staff.get(`/admin/orders/${orderId}/timeline?limit=100`));
    seen.fees += fees.length;
    seen.removed += Number(entries.some(({ message }: { message: string }) => message.includes('was removed')));
    seen.refunds += refunds.length;
    seen.excess += excess > 0 ? 1 : 0;
    seen.canceled += order.status === 'canceled' ? 1 : 0;
  }
  t.ok(
    seen.refunds > 20 && seen.canceled > 2 && seen.excess > 0 && seen.fees > 2 && seen.removed > 1,
    'all of it happened',
  );
  t.comment(seen);

  async function closeCanceledIfSo(orderId: string): Promise<void> {
    const { status } = await bodyOf(box.staff.get(`/admin/orders/${orderId}`));
    if (status === 'canceled') await closeCanceled(db, orderId);
  }
});
