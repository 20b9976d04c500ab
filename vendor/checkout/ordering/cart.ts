/**
 * The transaction that makes an order of the shopper's cart: lock and price the cart, then what is special to an order from
 * a cart in each phase of `placeSale`.
 */
import {
  completeCart,
  type DemandQuotes,
  lockActiveCart,
  type PricedCart,
  priceCart,
  type StoredCart,
} from '@carton/cart';
import { findStore } from '@carton/core';
import { isReserved } from '@carton/inventory';
import { findOrder, type Order, storedAttribution } from '@carton/order';
import { attachPayment, lockStartedPayment, type PaymentWait, type StartedPayment } from '@carton/payment';
import { type IfMatch, runConcurrently, type ShopperSession, type TenantDatabase } from '@carton/runtime';
import { customerOf, priceOptionsOf } from '../customer.ts';
import { guestLimitOf, guestOf, holdUnits, type OrderClient, takesUses } from '../guests/service.ts';
import { nothingToOrder } from '../nothing-to-order.ts';
import { type Prepared, placeSale, type SaleToPlace } from '../placing/service.ts';
import { rejectChangedTotal, rejectStaleOffer, seenTotalOf } from '../preview/offer.ts';
import { previewCheckout } from '../preview/service.ts';
import { cartChanged } from '../problems.ts';
import { reservationOf } from '../reservations/service.ts';
import type { Checkout } from '../schemas.ts';
import { checkoutSettings } from '../settings.ts';
import { AllSent } from '../steps.ts';
import { recordCompleted } from './attempts.ts';

/** A request to check out. */
export interface CheckoutRequest {
  session: ShopperSession;
  client: OrderClient;
  body: Checkout;
  /** The offer that the shopper has seen. */
  ifMatch: IfMatch | null;
  attempt: Attempt;
}

/** A checkout in progress: the state needed if it fails. */
export interface Attempt {
  cartId: string | null;
  /** The cart has become an order or was merged into a member's since it was read. */
  isCartClosed: boolean;
}

interface OrderOptions {
  /** Started for the cart; null or absent if the order is not paid online. */
  payment?: StartedPayment | null;
  /** Of the new order. */
  id?: string;
}

/**
 * Makes an order of the shopper's cart, in one transaction. Returns the order that the cart became if another request was
 * faster.
 * @throws cart_empty (409), offer_changed (412), total_changed, cart_changed (409), and as `placeSale`
 */
export function orderCart(
  db: TenantDatabase,
  request: CheckoutRequest,
  { payment = null, id }: OrderOptions,
): Promise<Order> {
  const prepare = (tx: TenantDatabase, demandQuotes: DemandQuotes) => prepareCart(tx, request, payment, demandQuotes);
  return placeSale(db, prepare, { id, asker: request });
}

/** Locks and prices the cart. @throws cart_empty (409), offer_changed (412) */
async function prepareCart(
  tx: TenantDatabase,
  request: CheckoutRequest,
  payment: StartedPayment | null,
  demandQuotes: DemandQuotes,
): Promise<Prepared> {
  const { session, client, body, ifMatch, attempt } = request;
  const options = priceOptionsOf(body);
  const cart = await lockActiveCart(tx, session, options.shippingAddress?.country);
  attempt.isCartClosed = cart === null;
  if (cart?.state === 'completed') {
    // This request waited while another placed the order.
    const order = await findOrder(tx, cart.orderId);
    if (!order) throw new Error(`the cart became the order ${cart.orderId}, which does not exist`);
    return { placed: order };
  }
  attempt.cartId = cart?.id ?? null;
  // With a payment, the offer was compared before it started: the payment itself may have changed the preview since.
  const seen = body.paymentMethod === undefined ? ifMatch : null;
  await rejectStaleOffer(seen, () => previewCheckout(tx, session, body, client, demandQuotes));
  if (cart === null) throw await nothingToOrder(tx, session);
  const reservation = reservationOf(cart.id);
  const [sale, store, hasReservation] = await runConcurrently([
    () => priceCart(tx, cart, { stock: false, ...options }),
    () => findStore(tx),
    () => isReserved(tx, reservation),
  ]);
  return saleToPlace(tx, request, payment, { sale, store, reservation: hasReservation ? reservation : null });
}

/** The locked cart as a sale that becomes an order. */
function saleToPlace(
  tx: TenantDatabase,
  { session, client, body, ifMatch }: CheckoutRequest,
  payment: StartedPayment | null,
  { sale, store, reservation }: Pick<SaleToPlace, 'store' | 'reservation'> & { sale: PricedCart<StoredCart> },
): SaleToPlace {
  const { cart } = sale;
  const guest = guestOf(session, body.customer.email, client);
  // What the order waits for, known once the payment is locked; null without a payment of a provider.
  let wait: PaymentWait | null = null;
  // What tenders leave to pay, in minor units.
  let due = 0;
  return {
    source: { type: 'cart', id: cart.id },
    sale,
    store,
    shopper: session,
    paymentMethod: body.paymentMethod ?? null,
    reservation,
    customer: customerOf(cart, body.customer),
    notes: body.notes ?? cart.note,
    attribution: storedAttribution(body.attribution),
    termsVersion: body.terms?.version ?? null,
    seenCurrency: seenTotalOf(ifMatch, body.expectedTotal)?.currency ?? null,
    check(left) {
      rejectChangedTotal(sale, ifMatch, body.expectedTotal);
      const isPaid = body.paymentMethod === undefined || (payment?.amount.amount ?? 0) === left;
      if (!isPaid) throw cartChanged('Start the checkout again.');
      due = left;
    },
    // Locked until the order has it, so that an authorization comes either before the order or after it.
    async claim(inside) {
      if (payment) wait = await lockStartedPayment(inside, payment);
    },
    times() {
      const { isAwaited, isByHand } = wait ?? { isAwaited: false, isByHand: false };
      const { unpaidOrderMinutes, pendingOrderMinutes } = checkoutSettings.of(store, tx);
      return {
        // Staff record when money by hand arrives.
        payBy: isByHand ? null : afterMinutes(unpaidOrderMinutes),
        pendingUntil: isAwaited ? afterMinutes(pendingOrderMinutes) : null,
      };
    },
    complete(inside, order) {
      // Where the store limits the units of its unpaid orders.
      const limit = guest && isUnpaid(wait, due) ? guestLimitOf(store, inside) : null;
      const wanted = { id: order.id, cartId: cart.id, lines: sale.lines, takesUses: takesUses(sale) };
      const answers = runConcurrently([
        () => completeCart(inside, cart.id, order.id),
        () => recordCompleted(inside, cart.id, order, guest),
        () => payment && attachPayment(inside, order.id, payment),
        () => guest && limit !== null && holdUnits(inside, limit, guest, wanted),
      ]);
      return payment || limit !== null ? answers : new AllSent(answers);
    },
  };
}

function isUnpaid(wait: PaymentWait | null, due: number): boolean {
  const isHeld = wait !== null && !wait.isAwaited && !wait.isByHand;
  return !isHeld && due > 0;
}

/** When an order from a cart is canceled by a setting; null for never. */
function afterMinutes(minutes: number): Date | null {
  return minutes === 0 ? null : new Date(Date.now() + minutes * 60_000);
}
