/**
 * POST /checkout: the shopper's cart becomes an order, paid online or not.
 */
import { findPricedCart } from '@carton/cart';
import { findStore } from '@carton/core';
import { findOrder, isPlacedBy, maskOrder, type Order } from '@carton/order';
import {
  abandonPayment,
  attachPayment,
  type BegunPayment,
  beginPayment,
  completePayments,
  confirmPayment,
  lockBegunPayment,
  planTenders,
  requireAdapter,
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
import { type Attempt, placingOf, prepareCart, previewCheckout } from './cart.ts';
import { pricedFor } from './customer.ts';
import { refuseDrift, refuseStaleOffer } from './drift.ts';
import { tenderSaleOf } from './placing.ts';
import { cartChanged, cartEmpty } from './problems.ts';
import { refuseUnmet } from './requirements.ts';
import { placeSale } from './sale.ts';
import type { Checkout } from './schemas.ts';

/**
 * Places the order of the session's cart (contract, POST /checkout). What is refused is recorded once the order's
 * transaction is undone.
 * @param workId with a payment method: the id that the order gets; the order that is there already under it is answered
 * @param ifMatch what the shopper has seen
 * @throws cart_empty (409), insufficient_stock (409), what else the steps of placing an order refuse with
 *   (`placingProblemsIn`), and what `beginPaymentProblems` names when a payment method is named
 */
export async function placeOrder(
  db: TenantDatabase,
  session: ShopperSession,
  body: Checkout,
  { ifMatch = null, workId }: { ifMatch?: IfMatch | null; workId?: string } = {},
): Promise<Order> {
  const attempt: Attempt = { cartId: null, isCartGone: false };
  const asked: Asked = { session, body, ifMatch, attempt };
  try {
    const { paymentMethod } = body;
    if (paymentMethod !== undefined) return await placePaid(db, asked, paymentMethod, workId);
    return await place(db, asked, {});
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

/** A checkout as it is asked for, and what has become of it. */
interface Asked {
  session: ShopperSession;
  body: Checkout;
  ifMatch: IfMatch | null;
  attempt: Attempt;
}

/**
 * Places an order that is paid online, in steps. No provider is called while rows are locked, and each step stands
 * before the next: the payment is begun and its provider asked, the order placed with it in one transaction, what is
 * to be captured captured. After a crash the same work finds the order it has placed, and goes on from there; before
 * that there is the cart's one open payment session, which the next try takes up.
 */
async function placePaid(db: TenantDatabase, asked: Asked, method: string, workId: string | undefined): Promise<Order> {
  const id = workId ?? newId();
  const placed = workId === undefined ? null : await findOrder(db, id);
  if (!placed) {
    const payment = await beginPaymentOf(db, asked, method);
    let order: Order | null = null;
    try {
      order = await place(db, asked, { payment, id });
    } finally {
      // Another request has ordered the cart meanwhile, perhaps without a payment.
      const isGone = order === null ? asked.attempt.isCartGone : order.id !== id;
      if (payment && isGone) await abandonPayment(db, payment);
    }
    if (order.id !== id) return order;
  }
  await completePayments(db, id);
  return (await findOrder(db, id)) as Order;
}

/**
 * Begins the payment of the cart and asks the provider about it; null when there is nothing to pay. What the shopper has
 * seen is compared here, before any money is asked for, and its total again in the order's transaction.
 */
async function beginPaymentOf(
  db: TenantDatabase,
  { session, body, ifMatch, attempt }: Asked,
  method: string,
): Promise<BegunPayment | null> {
  await refuseStaleOffer(ifMatch, () => previewCheckout(db, session));
  const [priced, store] = await db.pipelined((one) =>
    Promise.all([findPricedCart(one, session, pricedFor(body.customer)), findStore(one)]),
  );
  attempt.cartId = priced?.cart.id ?? null;
  requireAdapter(db);
  if (!priced) throw cartEmpty('Put something into the cart first.');
  const placing = placingOf(priced, store, session, body);
  await refuseUnmet(db, placing);
  refuseDrift(priced, ifMatch, body.expectedTotal);
  const { cart } = priced;
  const { left } = await planTenders(db, tenderSaleOf(placing));
  if (left === 0) return null;
  const amount = money(left, cart.currency);
  const payment = await beginPayment(db, { cartId: cart.id, method, amount, email: body.customer.email });
  await confirmPayment(db, payment);
  return payment;
}

interface PlaceOptions {
  payment?: BegunPayment | null;
  /** Of the order to be. */
  id?: string;
}

function place(db: TenantDatabase, { session, body, ifMatch, attempt }: Asked, { payment, id }: PlaceOptions) {
  const isPaidOnline = body.paymentMethod !== undefined;
  const prepare = (tx: TenantDatabase) =>
    prepareCart(tx, session, {
      body,
      attempt,
      // Held against the offer before the payment began: it may differ by then in what the payment itself has done.
      ifMatch: isPaidOnline ? null : ifMatch,
      check(sale, left) {
        refuseDrift(sale, ifMatch, body.expectedTotal);
        const isPaid = !isPaidOnline || (payment?.amount.amount ?? 0) === left;
        if (!isPaid) throw cartChanged('Check out once more.');
      },
      claim: async (inside) => payment && lockBegunPayment(inside, payment),
      complete: async (inside, order) => payment && attachPayment(inside, order.id, payment),
    });
  return placeSale(db, prepare, id);
}

/** The order; what is personal in it only for whoever placed it. @throws not_found (404) */
export async function readPlacedOrder(db: TenantDatabase, session: ShopperSession, id: string): Promise<Order> {
  const order = await findOrder(db, id);
  if (!order) throw notFound(`No order has the id ${id}.`);
  return isPlacedBy(order, session) ? order : maskOrder(order);
}
