/**
 * Rules of payments: money received outside the box, payments that providers have started, and what becomes of the
 * payment of a canceled order.
 */
import { findPricedCart } from '@carton/cart';
import {
  addPaymentNote,
  changePaymentStatus,
  lockOrder,
  type OrderState,
  orderAlreadyCanceled,
  unknownOrder,
} from '@carton/order';
import {
  defineProblem,
  invalidField,
  type MoneyValue,
  minorUnitDigits,
  money,
  notFound,
  type Page,
  publish,
  type ShopperSession,
  type TenantDatabase,
} from '@carton/runtime';
import { type BegunPayment, beginPayment, configuredAdapter } from './adapter.ts';
import { paymentCaptured } from './events.ts';
import type { Payment, PaymentQuery, RecordPayment } from './schemas.ts';
import { findPayment, insertPayment, listPaymentRows, sumReceived } from './store.ts';

export const paymentExceedsBalance = defineProblem({
  code: 'payment_exceeds_balance',
  status: 409,
  title: 'More was paid than is owed',
});
export const paymentStepNotPossible = defineProblem({
  code: 'payment_step_not_possible',
  status: 409,
  title: 'This cannot be done with the payment as it is',
});

export const nothingToPay = defineProblem({ code: 'nothing_to_pay', status: 409, title: 'There is nothing to pay' });

/** The provider of payments that staff record. */
export const offline = 'offline';

/** `19.99 EUR` */
function format({ amount, currency }: MoneyValue): string {
  const digits = minorUnitDigits(currency);
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}

/** @throws not_found (404) */
export async function readPayment(db: TenantDatabase, id: string): Promise<Payment> {
  const payment = await findPayment(db, id);
  if (!payment) throw notFound(`No payment has the id ${id}.`);
  return payment;
}

export function listPayments(db: TenantDatabase, query: PaymentQuery): Promise<Page<Payment>> {
  return listPaymentRows(db, query);
}

/**
 * Records money that was received outside the box. The order is locked meanwhile, so two at once cannot pay too much.
 * @throws not_found (404), order_already_canceled (409), payment_exceeds_balance (409), invalid_request (400) for
 *   another currency than the order's
 */
export async function recordPayment(db: TenantDatabase, orderId: string, given: RecordPayment): Promise<Payment> {
  const { amount, currency } = given.amount;
  return db.transaction(async (tx) => {
    const order = await lockOrder(tx, orderId);
    if (!order) throw unknownOrder(orderId);
    if (order.status === 'canceled') throw orderAlreadyCanceled('A canceled order takes no payment.');
    if (currency !== order.currency) throw invalidField('/amount/currency', `must be ${order.currency}`);
    const received = await sumReceived(tx, orderId);
    const open = order.totalAmount - received;
    if (amount > open) throw paymentExceedsBalance(`${format(money(open, currency))} is owed.`);
    const { method, reference = null, note = null } = given;
    const payment = await insertPayment(
      tx,
      { orderId, provider: offline, method, status: 'captured', currency, amount, reference },
      { type: 'capture', note },
    );
    const fact = { orderId, provider: offline, method, amount, currency };
    await publish(tx, paymentCaptured, { type: 'payment', id: payment.id }, fact);
    const state = amount === open ? 'paid' : 'partially_paid';
    await changePaymentStatus(tx, orderId, state, `Received ${format(given.amount)} by ${method}`);
    return readPayment(tx, payment.id);
  });
}

/**
 * Starts a payment of what the active cart comes to. Nothing is kept of it: the provider's own page goes on from here.
 * @throws payments_not_configured (503) with the default adapter, nothing_to_pay (409), payment_method_unknown (400),
 *   payment_provider_failed (502)
 */
export async function openPaymentSession(
  db: TenantDatabase,
  session: ShopperSession,
  method: string,
): Promise<BegunPayment> {
  configuredAdapter(db);
  const priced = await findPricedCart(db, session);
  if (!priced || priced.totals.total === 0) throw nothingToPay();
  const { id, currency, email } = priced.cart;
  const amount = money(priced.totals.total, currency);
  return beginPayment(db, { resource: { type: 'cart', id }, method, amount, email });
}

/** Stores a payment that `beginPayment` started, in the transaction that places its order. */
export async function keepPayment(tx: TenantDatabase, orderId: string, begun: BegunPayment): Promise<void> {
  const { provider, method, reference } = begun;
  const { amount, currency } = begun.amount;
  await insertPayment(
    tx,
    { orderId, provider, method, status: 'pending', currency, amount, reference },
    { type: 'initiate', note: null },
  );
}

/**
 * Refuses a step that a provider would have to do. No payment gets that far yet: one recorded by staff knows no
 * provider, and one that was started has not been authorized.
 * @throws not_found (404), payments_not_configured (503) with the default adapter, payment_step_not_possible (409)
 */
export async function refuseProviderStep(db: TenantDatabase, id: string, step: string): Promise<never> {
  const payment = await readPayment(db, id);
  const { name } = configuredAdapter(db);
  if (payment.provider !== name) {
    throw paymentStepNotPossible(`It was made with ${payment.provider}, so ${name} cannot ${step} it.`);
  }
  throw paymentStepNotPossible(`It is ${payment.status}, so there is nothing to ${step}.`);
}

/**
 * What becomes of the payment of a canceled order. With nothing received none is expected any more: voided. Money that
 * was received stays recorded (the order remains paid or partially paid), because it was received and no provider can
 * send it back; its history says what is to be paid back.
 */
export async function settleCanceledOrder(tx: TenantDatabase, order: OrderState): Promise<void> {
  const received = await sumReceived(tx, order.id);
  if (received > 0) {
    const sum = format(money(received, order.currency));
    await addPaymentNote(tx, order.id, `${sum} was received and is to be paid back`);
  } else if (order.paymentStatus === 'unpaid') {
    await changePaymentStatus(tx, order.id, 'voided', 'Nothing was received, and nothing is owed any more');
  }
}
