/**
 * A cart on its way to an order: what GET /checkout shows of it, and what of it is ordered.
 */
import {
  completeCart,
  findPricedCart,
  lockActiveCart,
  type PricedCart,
  presentCart,
  presentEmptyCart,
  priceCart,
  type StoredCart,
} from '@carton/cart';
import { findStore, type Store } from '@carton/core';
import { isReserved } from '@carton/inventory';
import { findOrder } from '@carton/order';
import { planTenders } from '@carton/payment';
import {
  type IfMatch,
  money,
  newId,
  runConcurrently,
  type ShopperSession,
  type Static,
  type TenantDatabase,
} from '@carton/runtime';
import { recordCompleted } from './attempts.ts';
import { customerOf, missingFields, pricedFor } from './customer.ts';
import { refuseStaleOffer } from './drift.ts';
import { type DraftToWrite, type Placing, tenderSaleOf } from './placing.ts';
import { cartEmpty } from './problems.ts';
import { findUnmet } from './requirements.ts';
import { reservationOf } from './reservations.ts';
import type { Prepared } from './sale.ts';
import type { Checkout, CheckoutPreview } from './schemas.ts';
import { checkoutSettings } from './settings.ts';
import { isPaymentRequired, keptOut } from './steps.ts';

type Preview = Static<typeof CheckoutPreview>;

/** What is in the cart, what it comes to, and what still stands between it and an order. */
export async function previewCheckout(db: TenantDatabase, session: ShopperSession): Promise<Preview> {
  const [sale, store] = await db.pipelined((one) => Promise.all([findPricedCart(one, session), findStore(one)]));
  if (!sale) {
    const requirements = [{ code: 'cart_empty', detail: 'The cart holds nothing.' }, ...keptOut(store, session)];
    const cart = presentEmptyCart(store.defaultCurrency);
    return {
      cart,
      tenders: [],
      left: cart.totals.total,
      ready: false,
      asks: store.checkoutRequires,
      paymentRequired: false,
      requirements,
    };
  }
  const placing = placingOf(sale, store, session);
  const unmet = await findUnmet(db, placing);
  const requirements = unmet.map(({ code, detail }) => ({ code, detail }));
  const asks = missingFields(store.checkoutRequires, placing.customer);
  const { parts, left } = await planTenders(db, tenderSaleOf(placing));
  const { currency } = sale.cart;
  return {
    cart: offerOf(sale),
    tenders: parts.map(({ tender, label, amount }) => ({ tender, label, amount: money(amount, currency) })),
    left: money(left, currency),
    ready: requirements.length === 0,
    asks,
    paymentRequired: isPaymentRequired(placing, left),
    requirements,
  };
}

/** The cart without the time of its last change, which is no part of the offer and would make its ETag another one. */
function offerOf(sale: PricedCart<StoredCart>): Preview['cart'] {
  return { ...presentCart(sale), updatedAt: null };
}

/** The cart as its steps see it before it is locked. @param told by the shopper who orders; left out by one who looks */
export function placingOf(
  sale: PricedCart<StoredCart>,
  store: Store,
  shopper: ShopperSession,
  told?: Checkout,
): Placing {
  const { cart } = sale;
  return {
    orderId: newId(),
    source: { type: 'cart', id: cart.id },
    sale,
    store,
    shopper,
    paymentMethod: told?.paymentMethod ?? null,
    reservation: null,
    customer: customerOf(cart, told?.customer ?? { email: null }),
    isPreview: told === undefined,
  };
}

/** A checkout under way: what is known of it when it fails. */
export interface Attempt {
  cartId: string | null;
  /** It has become an order, or is merged into a member's, since it was looked at. */
  isCartGone: boolean;
}

interface CartToOrder {
  body: Checkout;
  attempt: Attempt;
  /** Names what GET /checkout has to answer, once the cart is locked. */
  ifMatch: IfMatch | null;
  /**
   * Looks at it once every requirement is met.
   * @param left what tenders leave to be paid, in minor units
   */
  check(sale: PricedCart<StoredCart>, left: number): void;
  claim?(tx: TenantDatabase): Promise<unknown>;
  /** What else is written with the order. */
  complete(tx: TenantDatabase, order: DraftToWrite): Promise<unknown>;
}

/** The shopper's cart, locked and priced for the order. @throws cart_empty (409), offer_changed (412) */
export async function prepareCart(
  tx: TenantDatabase,
  shopper: ShopperSession,
  { body, attempt, ifMatch, check, claim, complete }: CartToOrder,
): Promise<Prepared> {
  const cart = await lockActiveCart(tx, shopper);
  attempt.isCartGone = cart === null;
  if (cart?.state === 'completed') {
    // For a request that waited while another placed it.
    const order = await findOrder(tx, cart.orderId);
    if (!order) throw new Error(`the cart became order ${cart.orderId}, which there is not`);
    return { placed: order };
  }
  attempt.cartId = cart?.id ?? null;
  await refuseStaleOffer(ifMatch, () => previewCheckout(tx, shopper));
  if (cart === null) throw cartEmpty('Put something into the cart first.');
  const reservation = reservationOf(cart.id);
  const [sale, store, hasReservation] = await runConcurrently([
    () => priceCart(tx, cart, { stock: false, ...pricedFor(body.customer) }),
    () => findStore(tx),
    () => isReserved(tx, reservation),
  ]);
  return {
    source: { type: 'cart', id: cart.id },
    sale,
    store,
    shopper,
    paymentMethod: body.paymentMethod ?? null,
    reservation: hasReservation ? reservation : null,
    payBy: payByOf(store),
    customer: customerOf(cart, body.customer),
    notes: body.notes ?? cart.note,
    check: (left) => check(sale, left),
    claim,
    complete: (inside, order) =>
      runConcurrently([
        () => completeCart(inside, cart.id, order.id),
        () => recordCompleted(inside, cart.id, order),
        () => complete(inside, order),
      ]),
  };
}

/** When an order from a cart is canceled if nothing is paid; null for never. */
function payByOf(store: Store): Date | null {
  const { unpaidOrderMinutes } = checkoutSettings.of(store);
  return unpaidOrderMinutes === 0 ? null : new Date(Date.now() + unpaidOrderMinutes * 60_000);
}
