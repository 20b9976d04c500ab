/**
 * Beginning a payment: before there is an order, and so that no crash leaves a payment that nobody knows of.
 *
 * A session is committed before the provider is called, and the provider is given its id: called again, it makes no
 * second payment. A cart has one open session, which is taken up as long as method and amount are the same. The order
 * takes it over in its own transaction, with whatever the provider has said by then.
 */
import { findPricedCart } from '@carton/cart';
import { lockOrder, type OrderState } from '@carton/order';
import { defineProblem, type MoneyValue, money, type ShopperSession, type TenantDatabase } from '@carton/runtime';
import {
  ask,
  isRefusal,
  type PaymentAdapter,
  type ProviderState,
  paymentMethodUnknown,
  paymentProviderFailed,
  paymentRefused,
  paymentsNotConfigured,
} from './adapter.ts';
import { absorb } from './bookkeeping.ts';
import { adapterOf } from './bound.ts';
import { holdMethod, offeredMethod } from './methods.ts';
import { release } from './release.ts';
import { abandonSession, runStartHooks } from './session-hooks.ts';
import {
  type BegunSession,
  endChecks,
  findSession,
  insertSession,
  keepInitiated,
  keepState,
  lockSession,
  lockSessionOfCart,
  markUsed,
  type NewSession,
  prolongSession,
  providerPaymentOf,
  type SessionRow,
} from './session-store.ts';
import { insertPayment } from './store.ts';
import { planTenders } from './tenders.ts';

export const nothingToPay = defineProblem({ code: 'nothing_to_pay', status: 409, title: 'There is nothing to pay' });
export const paymentSessionClosed = defineProblem({
  code: 'payment_session_closed',
  status: 409,
  title: 'This payment was replaced by another of the same cart',
});

/** What `beginPayment` and `confirmPayment` throw, and `attachPayment` after them, for the routes to declare. */
export const beginPaymentProblems = [
  paymentsNotConfigured,
  paymentMethodUnknown,
  paymentRefused,
  paymentProviderFailed,
  paymentSessionClosed,
];

/** A payment of a cart to be begun. */
export interface CartPayment {
  cartId: string;
  /** Code of an offered method. */
  method: string;
  /** Above zero. */
  amount: MoneyValue;
  /** Of the shopper, when it is known. */
  email: string | null;
}

/** A payment that a provider knows of, and what comes next. */
export interface BegunPayment {
  id: string;
  provider: string;
  method: string;
  amount: MoneyValue;
  reference: string;
  nextAction: SessionRow['nextAction'];
}

/**
 * Begins the payment of a cart, or takes up the one that is open. Call it outside of a transaction.
 * @throws payments_not_configured (503) with the default adapter, payment_method_unknown (400), payment_refused (409),
 *   payment_provider_failed (502)
 */
export async function beginPayment(db: TenantDatabase, payment: CartPayment): Promise<BegunPayment> {
  return presentSession(await beginSession(db, payment));
}

async function beginSession(db: TenantDatabase, { cartId, method: code, amount, email }: CartPayment) {
  const { provider, captureMode } = await offeredMethod(db, code);
  const adapter = adapterOf(db, provider) as PaymentAdapter;
  const wanted: NewSession = { cartId, provider, method: code, captureMode, amount };
  const { session, replaced } = await db.transaction((tx) => openSession(tx, wanted));
  if (replaced) await release(db, replaced);
  if (session.reference !== null) return session as BegunSession;
  const initiated = await ask(() =>
    adapter.initiate(db, { id: session.id, cartId, orderId: null, method: code, amount, email }),
  ).catch(async (error) => {
    if (isRefusal(error)) await forgetSession(db, session.id);
    throw error;
  });
  await keepInitiated(db, { id: session.id, orderId: null }, initiated);
  return { ...session, ...initiated };
}

/** Gives up a session that the provider will not begin, so that nothing is held for it. */
async function forgetSession(db: TenantDatabase, id: string): Promise<void> {
  if (await db.transaction((tx) => abandonSession(tx, id))) await endChecks(db, id);
}

/**
 * The open session of the cart if it is as wanted, else a new one in its place. Of a cart that has become an order
 * meanwhile it is the one of the order: the caller will find the cart gone.
 */
async function openSession(tx: TenantDatabase, wanted: NewSession) {
  let replaced: SessionRow | null = null;
  for (;;) {
    const open = await lockSessionOfCart(tx, wanted.cartId);
    if (open?.status === 'used') return { session: open, replaced };
    const isTakenUp = open !== null && isAsWanted(open, wanted);
    if (open && !isTakenUp) {
      await abandonSession(tx, open.id);
      replaced = open;
    }
    const session = isTakenUp ? await prolongSession(tx, open.id) : await insertSession(tx, wanted);
    if (session) {
      await runStartHooks(tx, session);
      return { session, replaced };
    }
  }
}

function isAsWanted({ provider, method, amount, currency, state }: SessionRow, wanted: NewSession): boolean {
  // One that failed may have been paid with another card since; the provider is asked before the order is placed.
  const alive = state.status !== 'voided';
  const same = amount === wanted.amount.amount && currency === wanted.amount.currency;
  return alive && same && provider === wanted.provider && method === wanted.method;
}

/**
 * Opens a session for what tenders leave of what the active cart comes to.
 * @throws nothing_to_pay (409) and what `beginPayment` throws
 */
export async function openPaymentSession(
  db: TenantDatabase,
  shopper: ShopperSession,
  method: string,
): Promise<BegunPayment> {
  await offeredMethod(db, method);
  const priced = await findPricedCart(db, shopper);
  if (!priced) throw nothingToPay();
  const { id, currency, email, memberId } = priced.cart;
  const due = priced.totals.total;
  const { left } = await planTenders(db, { source: { type: 'cart', id }, memberId, currency, due });
  if (left === 0) throw nothingToPay();
  return beginPayment(db, { cartId: id, method, amount: money(left, currency), email });
}

/**
 * Asks the provider what has become of a payment whose order is about to be placed. One that failed is given up, so
 * that the next try begins a new one. Call it outside of a transaction.
 * @throws payment_refused (409) when it failed, payment_provider_failed (502)
 */
export async function confirmPayment(db: TenantDatabase, { id }: Pick<BegunPayment, 'id'>): Promise<void> {
  const session = (await findSession(db, id)) as BegunSession | null;
  const adapter = session && adapterOf(db, session.provider);
  if (!adapter) throw new Error(`the session ${id} has no adapter`);
  const refused: ProviderState = { status: 'failed', captured: 0, refunded: 0 };
  let refusal = paymentRefused('The payment failed. Choose another way to pay.');
  const state = await ask(() => adapter.confirm(db, providerPaymentOf(session))).catch((error) => {
    if (!isRefusal(error)) throw error;
    refusal = error;
    return refused;
  });
  const failed = await db.transaction(async (tx) => {
    const locked = (await lockSession(tx, id)) as SessionRow;
    if (locked.status === 'open') await keepState(tx, locked, state);
    return state.status === 'failed' ? abandonSession(tx, id) : null;
  });
  // The shopper could pay it still.
  if (failed) await release(db, failed);
  if (state.status === 'failed') throw refusal;
}

/**
 * Locks a begun payment until the transaction ends. A checkout does so before it takes stock: whoever begins or gives up
 * a payment locks it first, and what it has brought along then.
 * @throws payment_session_closed (409) when another of the same cart took its place
 */
export async function lockBegunPayment(tx: TenantDatabase, { id }: Pick<BegunPayment, 'id'>): Promise<void> {
  const session = await lockSession(tx, id);
  if (session?.status !== 'open') throw paymentSessionClosed('Check out once more.');
}

/**
 * Makes a begun payment that of an order, in the transaction that places it, with whatever the provider has said by
 * now. `completePayments` comes after the transaction.
 * @throws payment_session_closed (409) when another of the same cart took its place, payment_method_unknown (400) when
 *   its method was switched off meanwhile
 */
export async function attachPayment(
  tx: TenantDatabase,
  orderId: string,
  { id }: Pick<BegunPayment, 'id'>,
): Promise<void> {
  const session = await lockSession(tx, id);
  if (session?.status !== 'open') throw paymentSessionClosed('Check out once more.');
  const { provider, method, captureMode, currency, amount, reference } = session;
  await holdMethod(tx, { provider, code: method });
  await markUsed(tx, id, orderId);
  const order = (await lockOrder(tx, orderId)) as OrderState;
  const payment = await insertPayment(
    tx,
    { id, orderId, provider, method, captureMode, status: 'pending', currency, amount, reference },
    { type: 'initiate', note: null },
  );
  await absorb(tx, order, payment, session.state);
}

/** A session as a shopper is shown it. */
export function presentSession({
  id,
  provider,
  method,
  amount,
  currency,
  reference,
  nextAction,
}: BegunSession): BegunPayment {
  return { id, provider, method, amount: money(amount, currency), reference, nextAction };
}
