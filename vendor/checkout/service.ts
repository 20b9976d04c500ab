/**
 * From a cart to an order, in one transaction: the cart is locked and priced, stock is taken, the number drawn, the
 * order written and the cart completed. All of it or nothing.
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
} from '@carton/cart';
import { drawOrderNumber, findStore, skipOrderNumber } from '@carton/core';
import { takeStock } from '@carton/inventory';
import { createOrder, findOrder, isPlacedBy, maskOrder, type Order, type OrderDraft } from '@carton/order';
import { type BegunPayment, beginPayment, configuredAdapter, keepPayment } from '@carton/payment';
import {
  defineProblem,
  isUniqueViolation,
  money,
  newId,
  notFound,
  type ShopperSession,
  type Static,
  type TenantDatabase,
} from '@carton/runtime';
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
  const priced = await findPricedCart(db, session);
  if (!priced) {
    const cart: Static<typeof Cart> = presentNoCart((await findStore(db)).defaultCurrency);
    return { cart, ready: false, requirements: [{ code: 'cart_empty', detail: 'The cart holds nothing.' }] };
  }
  const requirements = cartProblems(priced);
  return { cart: presentCart(priced), ready: requirements.length === 0, requirements };
}

/**
 * Places the order of the session's cart (contract, POST /checkout).
 * @throws cart_empty (409), cart_not_ready (409), insufficient_stock (409), guest_checkout_off (403),
 *   payments_not_configured (503) and whatever else `beginPayment` throws when a payment method is named
 */
export async function placeOrder(db: TenantDatabase, session: ShopperSession, body: Checkout): Promise<Order> {
  // A provider is never called while rows are locked: the payment begins before the transaction does.
  const payment =
    body.paymentMethod === undefined
      ? null
      : await beginPaymentOf(db, session, body.paymentMethod, body.customer.email);
  for (;;) {
    try {
      return await db.transaction((tx) => placeInTransaction(tx, session, body, payment));
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
  payment: BegunPayment | null,
): Promise<Order> {
  const cart = await lockActiveCart(tx, session);
  if (cart === null) throw cartEmpty('Put something into the cart first.');
  if (cart.state === 'completed') return orderOfCompletedCart(tx, cart);
  const [priced, store] = await Promise.all([priceCart(tx, cart, { stock: false }), findStore(tx)]);
  if (!store.guestCheckout && session.memberId === null) throw guestCheckoutOff('Sign in to order.');
  refuseProblems(priced);
  if (payment && payment.amount.amount !== priced.totals.total) throw cartChanged('Check out once more.');
  const id = newId();
  // Statements that need nothing of each other travel together; PostgreSQL runs them in this order.
  const [, number] = await Promise.all([takeStock(tx, cart.lines, { type: 'order', id }), drawOrderNumber(tx, store)]);
  const [order] = await Promise.all([
    createOrder(tx, draftOf(id, number, priced, session, body)),
    completeCart(tx, cart.id, id),
  ]);
  if (payment) await keepPayment(tx, id, payment);
  return order;
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

async function beginPaymentOf(
  db: TenantDatabase,
  session: ShopperSession,
  method: string,
  email: string,
): Promise<BegunPayment> {
  configuredAdapter(db);
  const priced = await findPricedCart(db, session);
  if (!priced) throw cartEmpty('Put something into the cart first.');
  refuseProblems(priced);
  const { cart, totals } = priced;
  const amount = money(totals.total, cart.currency);
  return beginPayment(db, { resource: { type: 'cart', id: cart.id }, method, amount, email });
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
  { cart, lines, adjustments, totals }: PricedCart,
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
    customer,
    notes,
  };
}

/** The order; what is personal in it only for whoever placed it. @throws not_found (404) */
export async function readPlacedOrder(db: TenantDatabase, session: ShopperSession, id: string): Promise<Order> {
  const order = await findOrder(db, id);
  if (!order) throw notFound(`No order has the id ${id}.`);
  return isPlacedBy(order, session) ? order : maskOrder(order);
}
