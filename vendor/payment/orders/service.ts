/**
 * Paying an existing order by its link: a payment of what is still owed, open to any caller with the order's id.
 *
 * As with carts, payment and session are committed under one id before the provider is called, and a retry after a
 * crash uses the same id. The order is locked meanwhile, so concurrent requests find one payment. What the payer does
 * then is applied like any report about an order's payment (`applyProviderState`).
 */
import {
  findOrder,
  holdPayBy,
  isPlacedBy,
  lockOrder,
  type OrderState,
  orderAlreadyCanceled,
  returnPayBy,
  unknownOrder,
} from '@carton/order';
import { type MoneyValue, money, type ShopperSession, type TenantDatabase } from '@carton/runtime';
import { callProvider, isRefusal, type PaymentAdapter } from '../adapters/adapter.ts';
import { adapterOf } from '../adapters/bound.ts';
import { paymentMethodUnavailable } from '../adapters/problems.ts';
import { type Debt, lockDebt, removeUnusedFees, repriceForChoice } from '../fees/repricing.ts';
import { format } from '../format.ts';
import { lockMethod, type OfferedMethod, offeredMethod, requireCharge } from '../methods/service.ts';
import { applyProviderState, refreshPaymentState } from '../payments/bookkeeping.ts';
import { insertPendingStep } from '../payments/steps.ts';
import { insertPayment, lockPayment, type PaymentRow } from '../payments/store.ts';
import { settlePending } from '../sessions/pending.ts';
import { nothingToPay } from '../sessions/problems.ts';
import { presentSession, type StartedPayment } from '../sessions/service.ts';
import {
  endChecks,
  findSession,
  insertOrderSession,
  type SessionRow,
  type StartedSession,
  storeInitiated,
} from '../sessions/store.ts';
import { resumePendingStep } from '../steps/service.ts';

/** A started payment of an order, with the order's total for its method. */
interface StartedOrderPayment extends StartedPayment {
  total: MoneyValue;
}

/** Payments of an order, after which its method changes no more: each change may have a document of its own. */
const maxPayments = 12;

/**
 * Opens a payment of what is owed for an order, or returns the pending one if its method and amount are the same.
 * Pending ones with another method or amount are voided, except what is to be paid by hand, such as on delivery, once the
 * order is being shipped or for a caller who did not place it (`heldByHand`). The order has the fee of the method then
 * (`fees/repricing.ts`). Stock is not checked: it belongs to the order already.
 * @throws not_found (404), payments_not_configured (503) with the default adapter, payment_method_unknown (400),
 *   order_already_canceled, nothing_to_pay, payment_method_unavailable, payment_refused (409), payment_provider_failed (502)
 */
export async function payOrder(
  db: TenantDatabase,
  caller: Pick<ShopperSession, 'hash' | 'memberId'>,
  orderId: string,
  code: string,
): Promise<StartedOrderPayment> {
  const found = await findOrder(db, orderId);
  if (!found) throw unknownOrder(orderId);
  // An order that staff placed belongs to any caller with its link.
  const isShopper = isPlacedBy(found, caller) || (found.memberId === null && found.sessionHash === null);
  const method = await offeredMethod(db, code);
  const { session, total, replaced } = await db.transaction((tx) => reuseOrInsert(tx, orderId, method, isShopper));
  // The voids are committed as pending steps, so `reconcile` retries one that fails.
  for (const id of replaced) await resumePendingStep(db, id).catch(() => {});
  const started = session && (await initiate(db, session));
  // A pending order is placed if its shopper now pays by hand.
  await settlePending(db, orderId);
  if (!started) throw nothingToPay();
  return { ...presentSession(started), total };
}

async function reuseOrInsert(
  tx: TenantDatabase,
  orderId: string,
  method: OfferedMethod,
  isShopper: boolean,
): Promise<{ session: SessionRow | null; total: MoneyValue; replaced: string[] }> {
  const configured = await lockMethod(tx, method);
  const order = (await lockOrder(tx, orderId)) as OrderState;
  if (order.status === 'canceled') throw orderAlreadyCanceled('A canceled order cannot be paid.');
  // What its shopper has to do next is a secret.
  if (order.status === 'pending' && !isShopper) throw notChanged('Only the shopper who placed the order pays it.');
  const debt = await lockDebt(tx, order);
  if (debt.due <= 0) throw nothingToPay();
  const held = heldByHand(tx, order, debt, method, isShopper);
  const waiting = debt.waiting.filter((payment) => !held.includes(payment));
  // Without the fee of a method that was chosen before, nothing may be left to pay.
  const { code, provider } = method;
  const chosen = { code, provider, settings: configured };
  const due = await repriceForChoice(tx, order, debt, chosen, (other) => held.some((each) => each.method === other));
  if (due > 0) requireCharge(tx, method, money(due, order.currency));
  let session: SessionRow | null = null;
  const replaced: string[] = [];
  for (const payment of waiting) {
    const isReused: boolean = session === null && isReusable(payment, method, due);
    const known: SessionRow | null = isReused ? await findSession(tx, payment.id) : null;
    if (known) session = known;
    else replaced.push(payment.id);
  }
  for (const payment of waiting.filter(({ id }) => replaced.includes(id))) {
    const open = payment.amount - payment.capturedAmount;
    await insertPendingStep(tx, payment, 'void', open, { reason: 'Another payment replaced it' });
  }
  if (!session && due > 0) {
    if (debt.payments.length >= maxPayments) throw notChanged('It was changed too often. Ask the store.');
    session = await insertPaymentOf(tx, order, method, { amount: due, isHeld: held.length > 0 });
  }
  return { session, total: money(order.totalAmount, order.currency), replaced };
}

/**
 * The payments by hand that another method does not replace: goods on their way are paid on delivery unless money comes
 * before, and who only knows the order's id does not undo what its shopper has chosen. Money that is received otherwise
 * lowers what is left to pay by hand.
 * @throws payment_method_unavailable (409) for another method by hand
 */
function heldByHand(
  tx: TenantDatabase,
  { fulfillmentStatus }: OrderState,
  { waiting }: Debt,
  method: OfferedMethod,
  isShopper: boolean,
): PaymentRow[] {
  const isShipping = fulfillmentStatus !== 'unfulfilled';
  if (isShopper && !isShipping) return [];
  const byHand = (provider: string) => adapterOf(tx, provider)?.byHand === true;
  const held = waiting.filter(({ status, provider, method: code }) => {
    return status === 'pending' && byHand(provider) && code !== method.code;
  });
  if (held.length > 0 && byHand(method.provider)) {
    throw notChanged(isShipping ? 'The order is being shipped.' : 'Only the shopper who placed the order changes it.');
  }
  return held;
}

function notChanged(reason: string) {
  return paymentMethodUnavailable(`The payment method of this order is not changed any more. ${reason}`);
}

/** A failed payment is not reused: some providers never accept a second attempt. */
function isReusable(
  { status, provider, method, amount, capturedAmount }: PaymentRow,
  requested: OfferedMethod,
  due: number,
) {
  const isUntouched = status === 'pending' && capturedAmount === 0;
  return isUntouched && provider === requested.provider && method === requested.code && amount === due;
}

async function insertPaymentOf(
  tx: TenantDatabase,
  order: OrderState,
  { provider, code: method, captureMode }: OfferedMethod,
  { amount, isHeld }: { amount: number; isHeld: boolean },
): Promise<SessionRow> {
  const { id: orderId, currency } = order;
  const payment = await insertPayment(
    tx,
    { orderId, provider, method, captureMode, status: 'pending', currency, amount, reference: null },
    { type: 'initiate', note: null },
  );
  // Staff record when money by hand arrives.
  if (adapterOf(tx, provider)?.byHand) await holdPayBy(tx, orderId);
  else if (!isHeld) await returnPayBy(tx, orderId);
  await refreshPaymentState(tx, order, `Started a payment of ${format(money(amount, currency))} by ${method}`);
  return insertOrderSession(tx, payment);
}

/** Initiates a payment at its provider unless that has been done. Voids one that the provider refuses. */
async function initiate(db: TenantDatabase, session: SessionRow): Promise<StartedSession> {
  if (session.reference !== null) return session as StartedSession;
  const { id, orderId, provider, method, amount, currency } = session;
  const adapter = adapterOf(db, provider) as PaymentAdapter;
  const intent = { id, cartId: null, orderId, method, amount: money(amount, currency), email: null };
  const initiated = await callProvider(() => adapter.initiate(db, intent)).catch(async (error) => {
    if (isRefusal(error)) await voidRefused(db, id, orderId as string);
    throw error;
  });
  await storeInitiated(db, session, initiated);
  return { ...session, ...initiated };
}

async function voidRefused(db: TenantDatabase, id: string, orderId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const order = (await lockOrder(tx, orderId)) as OrderState;
    await applyProviderState(tx, order, await lockPayment(tx, id), { status: 'voided', captured: 0, refunded: 0 });
    await removeUnusedFees(tx, order);
  });
  await settlePending(db, orderId).catch(() => {});
  await endChecks(db, id);
}
