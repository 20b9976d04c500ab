/**
 * POST /checkout: places the order of the shopper's cart, with or without an online payment.
 */
import { findOrder, type Order } from '@carton/order';
import {
  abandonPayment,
  completePayments,
  confirmPayment,
  planTenders,
  requireAdapter,
  type StartedPayment,
  startPayment,
} from '@carton/payment';
import { type IfMatch, money, newId, Problem, type ShopperSession, type TenantDatabase } from '@carton/runtime';
import { priceOptionsOf, writtenCheckout } from '../customer.ts';
import type { OrderClient } from '../guests/service.ts';
import { nothingToOrder } from '../nothing-to-order.ts';
import { rejectUnmet } from '../placing/requirements.ts';
import { rejectChangedTotal, rejectStaleOffer } from '../preview/offer.ts';
import { findOffer, previewCheckout } from '../preview/service.ts';
import { cartEmpty } from '../problems.ts';
import type { SentCheckout } from '../schemas.ts';
import { tenderSaleOf } from '../steps.ts';
import { recordFailed } from './attempts.ts';
import { type Attempt, type CheckoutRequest, orderCart } from './cart.ts';
import { type OrderWithPayment, readPlacedOrder } from './reading.ts';

/**
 * Places the order of the session's cart (contract, POST /checkout). A failed attempt is recorded after the order's
 * transaction is rolled back.
 * @param client of the request
 * @param workId on a route that works in steps: the id of the new order; an existing order with this id is returned
 * @param ifMatch the offer that the shopper has seen
 * @throws invalid_request (400), cart_empty, insufficient_stock (409), too_many_requests (429) after many tax numbers, the
 *   problems of the box's steps (`placingProblemsIn`) and, with a payment method, `startPaymentProblems`
 */
export async function placeOrder(
  db: TenantDatabase,
  session: ShopperSession,
  sent: SentCheckout,
  { client, ifMatch = null, workId }: { client: OrderClient; ifMatch?: IfMatch | null; workId?: string },
): Promise<OrderWithPayment> {
  const body = await writtenCheckout(db, sent);
  const attempt: Attempt = { cartId: null, isCartClosed: false };
  const request: CheckoutRequest = { session, client, body, ifMatch, attempt };
  try {
    const { paymentMethod } = body;
    const id = workId ?? newId();
    if (paymentMethod !== undefined)
      return await placeWithPayment(db, request, paymentMethod, { id, isNew: workId === undefined });
    const order = (await findPlaced(db, workId)) ?? (await orderCart(db, request, { id }));
    // Another request may have ordered the cart with a payment.
    return order.id === id ? { ...order, payment: null } : await readPlacedOrder(db, session, order.id);
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
  { id, isNew }: { id: string; isNew: boolean },
): Promise<OrderWithPayment> {
  const placed = isNew ? null : await findOrder(db, id);
  if (!placed) {
    const payment = await startCartPayment(db, request, method);
    let order: Order | null = null;
    try {
      order = await orderCart(db, request, { payment, id });
    } finally {
      // Another request may have ordered the cart in the meantime, perhaps without a payment.
      const isUnused = order === null ? request.attempt.isCartClosed : order.id !== id;
      if (payment && isUnused) await abandonPayment(db, payment);
    }
    if (order.id !== id) return readPlacedOrder(db, request.session, order.id);
  }
  await completePayments(db, id);
  return readPlacedOrder(db, request.session, id);
}

/**
 * Starts the payment of the cart and confirms it with the provider; null if there is nothing to pay. The offer that the
 * shopper has seen is compared here, before any money is requested, and its total again in the order's transaction.
 */
async function startCartPayment(
  db: TenantDatabase,
  { session, client, body, ifMatch, attempt }: CheckoutRequest,
  method: string,
): Promise<StartedPayment | null> {
  await rejectStaleOffer(ifMatch, () => previewCheckout(db, session, body, client));
  const { priced, placing } = await findOffer(
    db,
    { session, client },
    { options: priceOptionsOf(body), body, ifMatch },
  );
  attempt.cartId = priced?.cart.id ?? null;
  requireAdapter(db);
  if (!priced) throw await nothingToOrder(db, session);
  await rejectUnmet(db, placing);
  rejectChangedTotal(priced, ifMatch, body.expectedTotal);
  const { cart } = priced;
  const { left } = await planTenders(db, tenderSaleOf(placing));
  if (left === 0) return null;
  const amount = money(left, cart.currency);
  const payment = await startPayment(db, {
    ...{ cartId: cart.id, method, amount, email: body.customer.email },
    ...{ sessionHash: session.hash, client },
  });
  await confirmPayment(db, payment);
  return payment;
}
