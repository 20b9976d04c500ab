/**
 * Payments of carts, started before their order exists, so that a crash leaves no payment unknown to the box.
 *
 * A session is committed before the provider is called with its id: a second call with it creates no second payment. A
 * cart has one open session, which is reused while method and amount stay the same. The transaction that places the
 * order takes it over, with the state that the provider has reported by then.
 */
import { findPricedCart } from '@carton/cart';
import { findOrder, lockOrder, type Order, type OrderState } from '@carton/order';
import { type MoneyValue, money, type ShopperSession, type TenantDatabase } from '@carton/runtime';
import { callProvider, isRefusal, type PaymentAdapter, type ProviderState } from '../adapters/adapter.ts';
import { adapterOf } from '../adapters/bound.ts';
import { paymentRefused } from '../adapters/problems.ts';
import { choiceOfMethod } from '../fees/charge.ts';
import { changeOfRounding, roundingStep } from '../fees/rounding.ts';
import {
  dependsOnAmount,
  lockMethod,
  type OfferedMethod,
  offeredMethod,
  offeredMethods,
  refusalOfMethod,
  requireCharge,
} from '../methods/service.ts';
import { applyProviderState } from '../payments/bookkeeping.ts';
import { insertPayment } from '../payments/store.ts';
import { planTenders } from '../tenders/service.ts';
import { abandonSession, type Payer, runStartHooks } from './hooks.ts';
import { nothingToPay, paymentSessionClosed } from './problems.ts';
import { tryReleaseSession } from './release.ts';
import { mergeState, providerPaymentOf } from './state.ts';
import {
  endChecks,
  extendSession,
  findSession,
  insertSession,
  lockCartSession,
  lockSession,
  markUsed,
  type NewSession,
  type SessionRow,
  type StartedSession,
  storeInitiated,
} from './store.ts';

/** A payment of a cart to be started. */
export interface CartPayment {
  cartId: string;
  /** Code of an offered method. */
  method: string;
  /** Above zero. */
  amount: MoneyValue;
  /** The shopper's address, if known. */
  email: string | null;
  /** The session that starts it, and the client; absent where the box does. */
  sessionHash?: string | null;
  client?: Payer['client'];
}

/** A payment that the provider has created, and what the shopper does next. */
export interface StartedPayment {
  id: string;
  provider: string;
  method: string;
  amount: MoneyValue;
  reference: string;
  nextAction: SessionRow['nextAction'];
}

/**
 * Starts the payment of a cart, or resumes the open one. Call it outside a transaction.
 * @throws payments_not_configured (503) with the default adapter, payment_method_unknown (400),
 *   payment_method_unavailable, payment_refused (409), payment_provider_failed (502)
 */
export async function startPayment(db: TenantDatabase, payment: CartPayment): Promise<StartedPayment> {
  return presentSession(await startSession(db, payment));
}

async function startSession(
  db: TenantDatabase,
  { cartId, method: code, amount, email, sessionHash = null, client = null }: CartPayment,
) {
  const method = await offeredMethod(db, code);
  const { provider, captureMode } = method;
  requireCharge(db, method, amount);
  const adapter = adapterOf(db, provider) as PaymentAdapter;
  const requested: NewSession = { cartId, provider, method: code, captureMode, amount };
  const { session, replaced } = await db.transaction((tx) =>
    openSession(tx, requested, { sessionHash, email, client }),
  );
  if (replaced) await tryReleaseSession(db, replaced);
  if (session.reference !== null) return session as StartedSession;
  const initiated = await callProvider(() =>
    adapter.initiate(db, { id: session.id, cartId, orderId: null, method: code, amount, email }),
  ).catch(async (error) => {
    if (isRefusal(error)) await abandonRefused(db, session.id);
    throw error;
  });
  await storeInitiated(db, { id: session.id, orderId: null }, initiated);
  return { ...session, ...initiated };
}

/** Abandons a session that the provider refused to start, so that nothing stays reserved for it. */
async function abandonRefused(db: TenantDatabase, id: string): Promise<void> {
  if (await db.transaction((tx) => abandonSession(tx, id))) await endChecks(db, id);
}

/**
 * The cart's open session if it matches the request, else a new one that replaces it. If the cart has become an order
 * meanwhile, the order's session: the caller will find that the cart no longer exists.
 */
async function openSession(tx: TenantDatabase, requested: NewSession, payer: Payer) {
  let replaced: SessionRow | null = null;
  for (;;) {
    const open = await lockCartSession(tx, requested.cartId);
    if (open?.status === 'used') return { session: open, replaced };
    const isReused = open !== null && isReusable(open, requested);
    if (open && !isReused) {
      await abandonSession(tx, open.id);
      replaced = open;
    }
    const session = isReused ? await extendSession(tx, open.id) : await insertSession(tx, requested);
    if (session) {
      await runStartHooks(tx, session, payer);
      return { session, replaced };
    }
  }
}

function isReusable({ provider, method, amount, currency, state }: SessionRow, requested: NewSession): boolean {
  // A failed one may have been paid with another card since; the provider is asked before the order is placed.
  const alive = state.status !== 'voided';
  const same = amount === requested.amount.amount && currency === requested.amount.currency;
  return alive && same && provider === requested.provider && method === requested.method;
}

/**
 * Opens a session for the active cart's total with the fee of the method, less what tenders pay.
 * @throws nothing_to_pay (409) and what `startPayment` throws
 */
export async function openPaymentSession(
  db: TenantDatabase,
  shopper: ShopperSession,
  method: string,
  client: Payer['client'],
): Promise<StartedPayment> {
  await offeredMethod(db, method);
  const due = await findDue(db, shopper, method);
  if (!due) throw nothingToPay();
  return startPayment(db, { ...due, method, sessionHash: shopper.hash, client });
}

/** What is left to pay of the shopper's cart by a method, with its fee; null if there is nothing. */
async function findDue(
  db: TenantDatabase,
  shopper: ShopperSession,
  method: string,
): Promise<Omit<CartPayment, 'method'> | null> {
  const priced = await findPricedCart(db, shopper, { choices: choiceOfMethod(method) });
  if (!priced) return null;
  const { id, currency, email, memberId } = priced.cart;
  const due = priced.totals.total;
  const { left } = await planTenders(db, { source: { type: 'cart', id }, memberId, currency, due });
  return left === 0 ? null : { cartId: id, amount: money(left, currency), email };
}

/**
 * The methods that a shopper may choose, without those that cannot charge what is left to pay of the cart or, if it is
 * named, of an order. With nothing to pay, and for the id of no order, all are listed.
 */
export async function methodsFor(
  db: TenantDatabase,
  shopper: ShopperSession,
  orderId: string | undefined,
): Promise<OfferedMethod[]> {
  const offered = await offeredMethods(db);
  const order = orderId !== undefined && offered.length > 0 ? await findOrder(db, orderId) : null;
  const listed: OfferedMethod[] = [];
  for (const method of offered) {
    let due: MoneyValue | null = null;
    if (orderId !== undefined) due = order && order.balance.amount > 0 ? await dueBy(db, order, method) : null;
    else if (dependsOnAmount(db, method)) due = (await findDue(db, shopper, method.code))?.amount ?? null;
    if (due === null || refusalOfMethod(db, method, due) === null) listed.push(method);
  }
  return listed;
}

/** What is owed on an order, rounded for a method. */
async function dueBy(db: TenantDatabase, order: Order, method: OfferedMethod): Promise<MoneyValue> {
  const { amount, currency } = order.balance;
  return money(amount + changeOfRounding(order, amount, await roundingStep(db, currency, method)), currency);
}

/**
 * Looks up a payment at its provider before its order is placed. A failed one is abandoned, so that the next attempt
 * starts a new one. Call it outside a transaction.
 * @throws payment_refused (409) when it failed, payment_provider_failed (502)
 */
export async function confirmPayment(db: TenantDatabase, { id }: Pick<StartedPayment, 'id'>): Promise<void> {
  const session = (await findSession(db, id)) as StartedSession | null;
  const adapter = session && adapterOf(db, session.provider);
  if (!adapter) throw new Error(`the payment session ${id} has no adapter`);
  const refused: ProviderState = { status: 'failed', captured: 0, refunded: 0 };
  let refusal = paymentRefused('The payment failed. Choose another payment method.');
  const state = await callProvider(() => adapter.confirm(db, providerPaymentOf(session))).catch((error) => {
    if (!isRefusal(error)) throw error;
    refusal = error;
    return refused;
  });
  const failed = await db.transaction(async (tx) => {
    const locked = (await lockSession(tx, id)) as SessionRow;
    if (locked.status === 'open') await mergeState(tx, locked, state);
    return state.status === 'failed' ? abandonSession(tx, id) : null;
  });
  // Otherwise the shopper could still pay it.
  if (failed) await tryReleaseSession(db, failed);
  if (state.status === 'failed') throw refusal;
}

/** What an order with a started payment waits for. */
export interface PaymentWait {
  /** Its provider has not authorized the payment yet: the order is pending. */
  isAwaited: boolean;
  /** The shopper pays by hand, such as by bank transfer: the order is placed, and waits for staff. */
  isByHand: boolean;
}

/**
 * Locks a started payment until the transaction ends. A checkout does so before it takes stock, because starting and
 * abandoning a payment also lock the session before the stock.
 * @throws payment_session_closed (409) when another payment of the cart replaced it
 */
export async function lockStartedPayment(tx: TenantDatabase, { id }: Pick<StartedPayment, 'id'>): Promise<PaymentWait> {
  const session = await lockSession(tx, id);
  if (session?.status !== 'open') throw paymentSessionClosed('Check out again.');
  const { provider, amount, state } = session;
  const isHeld = state.status === 'authorized' || state.captured - state.refunded >= amount;
  const isByHand = adapterOf(tx, provider)?.byHand === true;
  return { isAwaited: !isHeld && !isByHand, isByHand };
}

/**
 * Makes a started payment the order's, in the transaction that places the order, with the state reported so far. Call
 * `completePayments` after the transaction.
 * @throws payment_session_closed (409) when another payment of the cart replaced it, payment_method_unknown (400) when
 *   its method was disabled meanwhile
 */
export async function attachPayment(
  tx: TenantDatabase,
  orderId: string,
  { id }: Pick<StartedPayment, 'id'>,
): Promise<void> {
  const session = await lockSession(tx, id);
  if (session?.status !== 'open') throw paymentSessionClosed('Check out again.');
  const { provider, method, captureMode, currency, amount, reference } = session;
  await lockMethod(tx, { provider, code: method });
  await markUsed(tx, id, orderId);
  const order = (await lockOrder(tx, orderId)) as OrderState;
  const payment = await insertPayment(
    tx,
    { id, orderId, provider, method, captureMode, status: 'pending', currency, amount, reference },
    { type: 'initiate', note: null },
  );
  await applyProviderState(tx, order, payment, session.state);
}

/** A session as shoppers see it. */
export function presentSession({
  id,
  provider,
  method,
  amount,
  currency,
  reference,
  nextAction,
}: StartedSession): StartedPayment {
  return { id, provider, method, amount: money(amount, currency), reference, nextAction };
}
