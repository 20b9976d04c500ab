/**
 * Paying an order later, by its own link: a payment of what is still owed, for whoever has the order's id.
 *
 * Payment and session are committed before the provider is called, under one id, as those of carts are; what a crash
 * leaves is begun again under that id. The order is locked meanwhile, so two at once find one payment. What the payer
 * does then is taken in as with any payment of an order (`absorb`).
 */
import { balanceOf, findOrder, lockOrder, type OrderState, orderAlreadyCanceled, unknownOrder } from '@carton/order';
import { money, type TenantDatabase } from '@carton/runtime';
import { ask, isRefusal, type PaymentAdapter } from './adapter.ts';
import { absorb, settleOrder } from './bookkeeping.ts';
import { adapterOf } from './bound.ts';
import { format } from './format.ts';
import { holdMethod, type OfferedMethod, offeredMethod } from './methods.ts';
import { insertPendingStep } from './owed.ts';
import {
  type BegunSession,
  endChecks,
  findSession,
  insertSessionOfOrder,
  keepInitiated,
  type SessionRow,
} from './session-store.ts';
import { type BegunPayment, nothingToPay, presentSession } from './sessions.ts';
import { carryOutPending } from './steps.ts';
import { insertPayment, lockPayment, lockPaymentsOfOrder, type PaymentRow, pendingStepsOf } from './store.ts';

/**
 * Begins the payment of what is owed of an order, or takes up the one that waits for its payer with the same method and
 * amount. One of another method or amount is voided. No stock is asked: it is the order's already.
 * @throws not_found (404), payments_not_configured (503) with the default adapter, payment_method_unknown (400),
 *   order_already_canceled, nothing_to_pay, payment_refused (409), payment_provider_failed (502)
 */
export async function payOrder(db: TenantDatabase, orderId: string, code: string): Promise<BegunPayment> {
  if (!(await findOrder(db, orderId))) throw unknownOrder(orderId);
  const method = await offeredMethod(db, code);
  const { session, replaced } = await db.transaction((tx) => takeUpOrInsert(tx, orderId, method));
  // They stand as steps, so what fails is done later as well.
  for (const id of replaced) await carryOutPending(db, id).catch(() => {});
  return presentSession(await begin(db, session));
}

async function takeUpOrInsert(
  tx: TenantDatabase,
  orderId: string,
  method: OfferedMethod,
): Promise<{ session: SessionRow; replaced: string[] }> {
  await holdMethod(tx, method);
  const order = (await lockOrder(tx, orderId)) as OrderState;
  if (order.status === 'canceled') throw orderAlreadyCanceled('A canceled order takes no payment.');
  const { waiting, due } = await survey(tx, order);
  if (due <= 0) throw nothingToPay();
  let session: SessionRow | null = null;
  const replaced: string[] = [];
  for (const payment of waiting) {
    const isTakenUp: boolean = session === null && isAsWanted(payment, method, due);
    const known: SessionRow | null = isTakenUp ? await findSession(tx, payment.id) : null;
    if (known) session = known;
    else replaced.push(payment.id);
  }
  for (const payment of waiting.filter(({ id }) => replaced.includes(id))) {
    const open = payment.amount - payment.capturedAmount;
    await insertPendingStep(tx, payment, 'void', open, { reason: 'Another payment took its place' });
  }
  return { session: session ?? (await insertPaymentOf(tx, order, method, due)), replaced };
}

/** The payments that wait for their payer, and what is owed beside what all others hold. Amounts are minor units. */
async function survey(tx: TenantDatabase, order: OrderState): Promise<{ waiting: PaymentRow[]; due: number }> {
  const [payments, steps] = await Promise.all([lockPaymentsOfOrder(tx, order.id), pendingStepsOf(tx, order.id)]);
  const stepOf = ({ id }: PaymentRow) => steps.find(({ paymentId }) => paymentId === id)?.type;
  const waiting = payments.filter(
    (payment) =>
      (payment.status === 'pending' || payment.status === 'failed') &&
      stepOf(payment) === undefined &&
      adapterOf(tx, payment.provider) !== null,
  );
  const held = payments
    .filter(({ status }) => status === 'pending' || status === 'authorized')
    .filter((payment) => !waiting.includes(payment) && stepOf(payment) !== 'void')
    .reduce((sum, { amount, capturedAmount }) => sum + amount - capturedAmount, 0);
  return { waiting, due: balanceOf(order) - held };
}

/** With some providers one that failed can never be paid any more, so another takes its place. */
function isAsWanted(
  { status, provider, method, amount, capturedAmount }: PaymentRow,
  wanted: OfferedMethod,
  due: number,
) {
  const isUntouched = status === 'pending' && capturedAmount === 0;
  return isUntouched && provider === wanted.provider && method === wanted.code && amount === due;
}

async function insertPaymentOf(
  tx: TenantDatabase,
  order: OrderState,
  { provider, code: method, captureMode }: OfferedMethod,
  amount: number,
): Promise<SessionRow> {
  const { id: orderId, currency } = order;
  const payment = await insertPayment(
    tx,
    { orderId, provider, method, captureMode, status: 'pending', currency, amount, reference: null },
    { type: 'initiate', note: null },
  );
  await settleOrder(tx, order, `A payment of ${format(money(amount, currency))} by ${method} was begun`);
  return insertSessionOfOrder(tx, payment);
}

/** Tells the provider of a payment, unless it knows. One that it refuses to begin is given up. */
async function begin(db: TenantDatabase, session: SessionRow): Promise<BegunSession> {
  if (session.reference !== null) return session as BegunSession;
  const { id, orderId, provider, method, amount, currency } = session;
  const adapter = adapterOf(db, provider) as PaymentAdapter;
  const intent = { id, cartId: null, orderId, method, amount: money(amount, currency), email: null };
  const initiated = await ask(() => adapter.initiate(db, intent)).catch(async (error) => {
    if (isRefusal(error)) await forget(db, id, orderId as string);
    throw error;
  });
  await keepInitiated(db, session, initiated);
  return { ...session, ...initiated };
}

async function forget(db: TenantDatabase, id: string, orderId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const order = (await lockOrder(tx, orderId)) as OrderState;
    await absorb(tx, order, await lockPayment(tx, id), { status: 'voided', captured: 0, refunded: 0 });
  });
  await endChecks(db, id);
}
