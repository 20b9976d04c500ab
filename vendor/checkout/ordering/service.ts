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
  findOrderPayment,
  lockStartedPayment,
  lookUpAwaited,
  type OrderPayment,
  type PaymentWait,
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
import { priceOptionsOf, writtenCheckout } from '../customer.ts';
import type { OrderClient } from '../guests/service.ts';
import { nothingToOrder } from '../nothing-to-order.ts';
import { rejectUnmet } from '../placing/requirements.ts';
import { placeSale } from '../placing/service.ts';
import { rejectChangedTotal, rejectStaleOffer } from '../preview/offer.ts';
import { cartChanged, cartEmpty } from '../problems.ts';
import type { Checkout, SentCheckout } from '../schemas.ts';
import { tenderSaleOf } from '../steps.ts';
import { recordFailed } from './attempts.ts';
import { type Attempt, findOffer, placingOf, prepareCart, previewCheckout } from './cart.ts';

/** An order with its payment, as its routes show it. */
export type OrderWithPayment = Order & { payment: OrderPayment | null };

/**
 * Places the order of the session's cart (contract, POST /checkout). A failed attempt is recorded after the order's
 * transaction is rolled back.
 * @param client of the request
 * @param workId on a route that works in steps: the id of the new order; an existing order with this id is returned
 * @param ifMatch the offer that the shopper has seen
 * @throws invalid_request (400), cart_empty, insufficient_stock (409), the problems of the box's steps
 *   (`placingProblemsIn`) and, with a payment method, `startPaymentProblems`
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
    const order = (await findPlaced(db, workId)) ?? (await place(db, request, { id }));
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

/** A request to check out, and the state of the attempt. */
interface CheckoutRequest {
  session: ShopperSession;
  client: OrderClient;
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
  { id, isNew }: { id: string; isNew: boolean },
): Promise<OrderWithPayment> {
  const placed = isNew ? null : await findOrder(db, id);
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
  const options = priceOptionsOf(body);
  const { found, store } = await findOffer(db, session, options);
  const priced = found && (await withQuotes(db, found, () => priceCart(db, found.cart, options)));
  attempt.cartId = priced?.cart.id ?? null;
  requireAdapter(db);
  if (!priced) throw await nothingToOrder(db, session);
  const placing = placingOf(priced, store, session, body, ifMatch);
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

interface PlaceOptions {
  payment?: StartedPayment | null;
  /** Of the new order. */
  id?: string;
}

function place(
  db: TenantDatabase,
  { session, client, body, ifMatch, attempt }: CheckoutRequest,
  { payment, id }: PlaceOptions,
) {
  const isPaidOnline = body.paymentMethod !== undefined;
  let wait: PaymentWait | null = null;
  const prepare = (tx: TenantDatabase, demandQuotes: DemandQuotes) =>
    prepareCart(tx, session, {
      body,
      attempt,
      client,
      demandQuotes,
      // With a payment, the offer was compared before it started: the payment itself may have changed the preview since.
      ifMatch: isPaidOnline ? null : ifMatch,
      seenOffer: ifMatch,
      check(sale, left) {
        rejectChangedTotal(sale, ifMatch, body.expectedTotal);
        const isPaid = !isPaidOnline || (payment?.amount.amount ?? 0) === left;
        if (!isPaid) throw cartChanged('Start the checkout again.');
      },
      // Locked until the order has it, so that an authorization comes either before the order or after it.
      async claim(inside) {
        if (payment) wait = await lockStartedPayment(inside, payment);
      },
      waitsFor: () => wait,
      complete: async (inside, order) => payment && attachPayment(inside, order.id, payment),
    });
  return placeSale(db, prepare, id);
}

/**
 * Reads an order as `readPlacedOrder`; one that waits for its payment is looked up at the provider for the shopper who
 * placed it. @throws not_found (404)
 */
export async function readAwaitedOrder(
  db: TenantDatabase,
  session: ShopperSession,
  id: string,
): Promise<OrderWithPayment> {
  const order = await readPlacedOrder(db, session, id);
  const isAwaited = order.status === 'pending' && order.payment?.status === 'pending' && isPlacedBy(order, session);
  return isAwaited && (await lookUpAwaited(db, id)) ? readPlacedOrder(db, session, id) : order;
}

/** Reads an order with its payment, masked unless the caller placed it. @throws not_found (404) */
async function readPlacedOrder(db: TenantDatabase, session: ShopperSession, id: string): Promise<OrderWithPayment> {
  const [order, payment] = await db.pipelined((one) => Promise.all([findOrder(one, id), findOrderPayment(one, id)]));
  if (!order) throw notFound(`There is no order with the id ${id}.`);
  if (isPlacedBy(order, session)) return { ...order, payment };
  // Who has the secret of the next action can pay with it, and see what is paid.
  return { ...maskOrder(order), payment: payment && { ...payment, nextAction: null } };
}
