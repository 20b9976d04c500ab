/**
 * POST /checkout: places the order of the shopper's cart, with or without an online payment.
 */
import { type DemandQuotes, priceCart, withQuotes } from '@carton/cart';
import { findOrder, isPlacedBy, maskOrder, type Order } from '@carton/order';
import {
  abandonPayment,
  attachPayment,
  completePayments,
  confirmPayment,
  lockStartedPayment,
  planTenders,
  requireAdapter,
  type StartedPayment,
  startPayment,
} from '@carton/payment';
import {
  type IfMatch,
  money,
  newId,
  notFound,
  Problem,
  type ShopperSession,
  type TenantDatabase,
} from '@carton/runtime';
import { recordFailed } from './attempts.ts';
import { type Attempt, findOffer, placingOf, prepareCart, previewCheckout } from './cart.ts';
import { priceOptionsOf, writtenCustomer } from './customer.ts';
import { rejectChangedTotal, rejectStaleOffer } from './offer.ts';
import { tenderSaleOf } from './placing.ts';
import { cartChanged, cartEmpty } from './problems.ts';
import { rejectUnmet } from './requirements.ts';
import { placeSale } from './sale.ts';
import type { Checkout } from './schemas.ts';

/**
 * Places the order of the session's cart (contract, POST /checkout). A failed attempt is recorded after the order's
 * transaction is rolled back.
 * @param workId on a route that works in steps: the id of the new order; an existing order with this id is returned
 * @param ifMatch the offer that the shopper has seen
 * @throws invalid_request (400), cart_empty (409), insufficient_stock (409), the problems of the box's steps
 *   (`placingProblemsIn`) and, with a payment method, `startPaymentProblems`
 */
export async function placeOrder(
  db: TenantDatabase,
  session: ShopperSession,
  sent: Checkout,
  { ifMatch = null, workId }: { ifMatch?: IfMatch | null; workId?: string } = {},
): Promise<Order> {
  const body = { ...sent, customer: await writtenCustomer(db, sent.customer) };
  const attempt: Attempt = { cartId: null, isCartClosed: false };
  const request: CheckoutRequest = { session, body, ifMatch, attempt };
  try {
    const { paymentMethod } = body;
    if (paymentMethod !== undefined) return await placeWithPayment(db, request, paymentMethod, workId);
    return (await findPlaced(db, workId)) ?? (await place(db, request, { id: workId }));
  } catch (error) {
    const { cartId } = attempt;
    if (cartId !== null && error instanceof Problem && error.type.code !== cartEmpty.code) {
      const record = (outside: TenantDatabase) => recordFailed(outside, cartId, error.type.code);
      if (db.inTransaction) db.afterRollback(record);
      else await record(db).catch(() => {});
    }
    throw error;
  }
}

/** The order that an earlier attempt of the same work has placed. */
async function findPlaced(db: TenantDatabase, workId: string | undefined): Promise<Order | null> {
  return workId === undefined ? null : findOrder(db, workId);
}

/** A request to check out, and the state of the attempt. */
interface CheckoutRequest {
  session: ShopperSession;
  body: Checkout;
  ifMatch: IfMatch | null;
  attempt: Attempt;
}

/**
 * Places an order that is paid online, in steps that are committed one by one, so that no provider is called while rows
 * are locked: start the payment and confirm it with the provider, place the order with it in one transaction, capture
 * the payment. After a crash, a retry with the same `workId` finds the order and continues from there; before that point,
 * it resumes the cart's one open payment session.
 */
async function placeWithPayment(
  db: TenantDatabase,
  request: CheckoutRequest,
  method: string,
  workId: string | undefined,
): Promise<Order> {
  const id = workId ?? newId();
  const placed = await findPlaced(db, workId);
  if (!placed) {
    const payment = await startCartPayment(db, request, method);
    let order: Order | null = null;
    try {
      order = await place(db, request, { payment, id });
    } finally {
      // Another request may have ordered the cart in the meantime, perhaps without a payment.
      const isUnused = order === null ? request.attempt.isCartClosed : order.id !== id;
      if (payment && isUnused) await abandonPayment(db, payment);
    }
    if (order.id !== id) return order;
  }
  await completePayments(db, id);
  return (await findOrder(db, id)) as Order;
}

/**
 * Starts the payment of the cart and confirms it with the provider; null if there is nothing to pay. The offer that the
 * shopper has seen is compared here, before any money is requested, and its total again in the order's transaction.
 */
async function startCartPayment(
  db: TenantDatabase,
  { session, body, ifMatch, attempt }: CheckoutRequest,
  method: string,
): Promise<StartedPayment | null> {
  await rejectStaleOffer(ifMatch, () => previewCheckout(db, session, body));
  const options = priceOptionsOf(body);
  const { found, store } = await findOffer(db, session, options);
  const priced = found && (await withQuotes(db, found, () => priceCart(db, found.cart, options)));
  attempt.cartId = priced?.cart.id ?? null;
  requireAdapter(db);
  if (!priced) throw cartEmpty('Add an item to the cart first.');
  const placing = placingOf(priced, store, session, body, ifMatch);
  await rejectUnmet(db, placing);
  rejectChangedTotal(priced, ifMatch, body.expectedTotal);
  const { cart } = priced;
  const { left } = await planTenders(db, tenderSaleOf(placing));
  if (left === 0) return null;
  const amount = money(left, cart.currency);
  const payment = await startPayment(db, { cartId: cart.id, method, amount, email: body.customer.email });
  await confirmPayment(db, payment);
  return payment;
}

interface PlaceOptions {
  payment?: StartedPayment | null;
  /** Of the new order. */
  id?: string;
}

function place(
  db: TenantDatabase,
  { session, body, ifMatch, attempt }: CheckoutRequest,
  { payment, id }: PlaceOptions,
) {
  const isPaidOnline = body.paymentMethod !== undefined;
  const prepare = (tx: TenantDatabase, demandQuotes: DemandQuotes) =>
    prepareCart(tx, session, {
      body,
      attempt,
      demandQuotes,
      // With a payment, the offer was compared before it started: the payment itself may have changed the preview since.
      ifMatch: isPaidOnline ? null : ifMatch,
      seenOffer: ifMatch,
      check(sale, left) {
        rejectChangedTotal(sale, ifMatch, body.expectedTotal);
        const isPaid = !isPaidOnline || (payment?.amount.amount ?? 0) === left;
        if (!isPaid) throw cartChanged('Start the checkout again.');
      },
      claim: async (inside) => payment && lockStartedPayment(inside, payment),
      complete: async (inside, order) => payment && attachPayment(inside, order.id, payment),
    });
  return placeSale(db, prepare, id);
}

/** Reads an order, masked unless the caller placed it. @throws not_found (404) */
export async function readPlacedOrder(db: TenantDatabase, session: ShopperSession, id: string): Promise<Order> {
  const order = await findOrder(db, id);
  if (!order) throw notFound(`There is no order with the id ${id}.`);
  return isPlacedBy(order, session) ? order : maskOrder(order);
}
