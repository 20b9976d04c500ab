/**
 * From a cart to an order, in one transaction: the cart is locked and priced, stock is taken, the number drawn, the
 * order written, the attempt recorded and the cart completed. All of it or nothing.
 */
import {
  type Cart,
  cartProblems,
  completeCart,
  findPricedCart,
  type LockedCart,
  lockActiveCart,
  type PricedCart,
  presentCart,
  presentNoCart,
  priceCart,
  type StoredCart,
} from '@carton/cart';
import { drawOrderNumber, findStore, type Store, skipOrderNumber } from '@carton/core';
import { takeStock } from '@carton/inventory';
import { createOrder, findOrder, isPlacedBy, maskOrder, type Order, type OrderDraft } from '@carton/order';
import {
  type BegunPayment,
  beginPayment,
  confirmPayment,
  dropPayment,
  holdPayment,
  keepPayment,
  requireAdapter,
  settlePayments,
} from '@carton/payment';
import {
  defineProblem,
  isUniqueViolation,
  money,
  newId,
  notFound,
  Problem,
  type ShopperSession,
  type Static,
  type TenantDatabase,
} from '@carton/runtime';
import { recordCompleted, recordFailed } from './attempts.ts';
import { customerOf, missingFields, refuseMissing } from './customer.ts';
import type { Checkout, CheckoutPreview } from './schemas.ts';

export const cartEmpty = defineProblem({ code: 'cart_empty', status: 409, title: 'The cart is empty' });
export const cartNotReady = defineProblem({
  code: 'cart_not_ready',
  status: 409,
  title: 'Something in the cart cannot be ordered',
});
export const cartChanged = defineProblem({
  code: 'cart_changed',
  status: 409,
  title: 'The cart has changed since the payment began',
});
export const guestCheckoutOff = defineProblem({
  code: 'guest_checkout_off',
  status: 403,
  title: 'This shop takes orders of members only',
});

/** What is in the cart, what it comes to, and what still stands between it and an order. */
export async function previewCheckout(
  db: TenantDatabase,
  session: ShopperSession,
): Promise<Static<typeof CheckoutPreview>> {
  const [priced, store] = await Promise.all([findPricedCart(db, session), findStore(db)]);
  const guest: Requirement[] = isGuestKeptOut(store, session)
    ? [{ code: 'guest_checkout_off', detail: 'Sign in to order.' }]
    : [];
  if (!priced) {
    const cart: Static<typeof Cart> = presentNoCart(store.defaultCurrency);
    const requirements: Requirement[] = [{ code: 'cart_empty', detail: 'The cart holds nothing.' }, ...guest];
    return { cart, ready: false, asks: store.checkoutRequires, requirements };
  }
  const requirements = [...cartProblems(priced), ...guest];
  const asks = missingFields(store.checkoutRequires, customerOf(priced.cart, { email: '' }));
  return { cart: presentCart(priced), ready: requirements.length === 0, asks, requirements };
}

type Requirement = Static<typeof CheckoutPreview>['requirements'][number];

/** A checkout under way: what is known of it when it fails. */
interface Attempt {
  cartId: string | null;
  /** It has become an order, or is merged into a member's, since it was looked at. */
  isCartGone: boolean;
}

/**
 * Places the order of the session's cart (contract, POST /checkout). What is refused is recorded once the order's
 * transaction is undone.
 * @param workId with a payment method: the id that the order gets; the order that is there already under it is answered
 * @throws cart_empty (409), cart_not_ready (409), insufficient_stock (409), guest_checkout_off (403),
 *   customer_details_missing (400), payments_not_configured (503) and whatever else `beginPaymentProblems` names when a
 *   payment method is named
 */
export async function placeOrder(
  db: TenantDatabase,
  session: ShopperSession,
  body: Checkout,
  workId?: string,
): Promise<Order> {
  const attempt: Attempt = { cartId: null, isCartGone: false };
  try {
    const { paymentMethod } = body;
    if (paymentMethod !== undefined) return await placePaid(db, session, { ...body, paymentMethod }, attempt, workId);
    return await place(db, session, body, { attempt });
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

/**
 * Places an order that is paid online, in steps. No provider is called while rows are locked, and each step stands
 * before the next: the payment is begun and its provider asked, the order placed with it in one transaction, what is
 * to be captured captured. After a crash the same work finds the order it has placed, and goes on from there; before
 * that there is the cart's one open payment session, which the next try takes up.
 */
async function placePaid(
  db: TenantDatabase,
  session: ShopperSession,
  body: Checkout & { paymentMethod: string },
  attempt: Attempt,
  workId: string | undefined,
): Promise<Order> {
  const id = workId ?? newId();
  const placed = workId === undefined ? null : await findOrder(db, id);
  if (!placed) {
    const payment = await beginPaymentOf(db, session, body, attempt);
    let order: Order | null = null;
    try {
      order = await place(db, session, body, { attempt, payment, id });
    } finally {
      // Another request has ordered the cart meanwhile, perhaps without a payment.
      const isGone = order === null ? attempt.isCartGone : order.id !== id;
      if (payment && isGone) await dropPayment(db, payment);
    }
    if (order.id !== id) return order;
  }
  await settlePayments(db, id);
  return (await findOrder(db, id)) as Order;
}

/** Begins the payment of the cart and asks the provider about it; null when there is nothing to pay. */
async function beginPaymentOf(
  db: TenantDatabase,
  session: ShopperSession,
  body: Checkout & { paymentMethod: string },
  attempt: Attempt,
): Promise<BegunPayment | null> {
  const [priced, store] = await Promise.all([findPricedCart(db, session), findStore(db)]);
  attempt.cartId = priced?.cart.id ?? null;
  requireAdapter(db);
  if (!priced) throw cartEmpty('Put something into the cart first.');
  refuseUnmet(store, session, priced, body);
  const { cart, totals } = priced;
  if (totals.total === 0) return null;
  const amount = money(totals.total, cart.currency);
  const { email } = body.customer;
  const payment = await beginPayment(db, { cartId: cart.id, method: body.paymentMethod, amount, email });
  await confirmPayment(db, payment);
  return payment;
}

interface PlaceOptions {
  attempt: Attempt;
  payment?: BegunPayment | null;
  /** Of the order to be. */
  id?: string;
}

async function place(
  db: TenantDatabase,
  session: ShopperSession,
  body: Checkout,
  options: PlaceOptions,
): Promise<Order> {
  for (;;) {
    try {
      return await db.transaction((tx) => placeInTransaction(tx, session, body, options));
    } catch (error) {
      // An earlier format of the store's made this number: the sequence goes past it, and the order is placed anew.
      if (db.inTransaction || !isUniqueViolation(error, 'orders_number')) throw error;
      await skipOrderNumber(db);
    }
  }
}

async function placeInTransaction(
  tx: TenantDatabase,
  session: ShopperSession,
  body: Checkout,
  { attempt, payment, id = newId() }: PlaceOptions,
): Promise<Order> {
  const cart = await lockActiveCart(tx, session);
  attempt.isCartGone = cart === null;
  if (cart === null) throw cartEmpty('Put something into the cart first.');
  if (cart.state === 'completed') return orderOfCompletedCart(tx, cart);
  attempt.cartId = cart.id;
  const [priced, store] = await Promise.all([priceCart(tx, cart, { stock: false }), findStore(tx)]);
  refuseUnmet(store, session, priced, body);
  const { total } = priced.totals;
  if (body.paymentMethod !== undefined && (payment?.amount.amount ?? 0) !== total) {
    throw cartChanged('Check out once more.');
  }
  // Statements that need nothing of each other travel together; PostgreSQL runs them in this order.
  const [, , number] = await Promise.all([
    payment && holdPayment(tx, payment),
    takeStock(tx, cart.lines, { type: 'order', id }),
    drawOrderNumber(tx, store),
  ]);
  const { currency } = cart;
  const [order] = await Promise.all([
    createOrder(tx, draftOf(id, number, priced, session, body)),
    completeCart(tx, cart.id, id),
    recordCompleted(tx, cart.id, { orderId: id, number, currency, totalAmount: total }),
  ]);
  if (payment) await keepPayment(tx, id, payment);
  return order;
}

function isGuestKeptOut({ guestCheckout }: Store, { memberId }: ShopperSession): boolean {
  return !guestCheckout && memberId === null;
}

/** @throws guest_checkout_off (403), cart_empty, cart_not_ready (409), customer_details_missing (400) */
function refuseUnmet(store: Store, session: ShopperSession, priced: PricedCart<StoredCart>, body: Checkout): void {
  if (isGuestKeptOut(store, session)) throw guestCheckoutOff('Sign in to order.');
  refuseProblems(priced);
  refuseMissing(missingFields(store.checkoutRequires, customerOf(priced.cart, body.customer)));
}

/** The order for a request that waited while another placed it. */
async function orderOfCompletedCart(
  tx: TenantDatabase,
  { orderId }: Extract<LockedCart, { state: 'completed' }>,
): Promise<Order> {
  const order = await findOrder(tx, orderId);
  if (!order) throw new Error(`the cart became order ${orderId}, which there is not`);
  return order;
}

/** @throws cart_empty (409), cart_not_ready (409) with what is wrong, line by line */
function refuseProblems(priced: PricedCart): void {
  const problems = cartProblems(priced);
  if (problems.length === 0) return;
  const detail = problems.map((problem) => problem.detail).join(' ');
  throw problems.some(({ code }) => code === 'cart_empty') ? cartEmpty(detail) : cartNotReady(detail);
}

function draftOf(
  id: string,
  number: string,
  { cart, lines, adjustments, totals }: PricedCart<StoredCart>,
  session: ShopperSession,
  { customer, notes }: Checkout,
): OrderDraft {
  return {
    id,
    number,
    cartId: cart.id,
    sessionHash: session.hash,
    memberId: session.memberId,
    currency: cart.currency,
    lines: lines.map(({ id: lineId, variant, quantity, unitPrice, total }) => ({
      lineId,
      variantId: variant.id,
      productId: variant.productId,
      sku: variant.sku,
      title: variant.productTitle,
      variantTitle: variant.title,
      quantity,
      unitAmount: unitPrice as number,
      totalAmount: total as number,
    })),
    adjustments,
    totals,
    customer: customerOf(cart, customer),
    notes,
  };
}

/** The order; what is personal in it only for whoever placed it. @throws not_found (404) */
export async function readPlacedOrder(db: TenantDatabase, session: ShopperSession, id: string): Promise<Order> {
  const order = await findOrder(db, id);
  if (!order) throw notFound(`No order has the id ${id}.`);
  return isPlacedBy(order, session) ? order : maskOrder(order);
}
