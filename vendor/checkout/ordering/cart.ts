/**
 * Preview of a cart's checkout (GET /checkout), and preparation of the cart for its order.
 */
import {
  completeCart,
  type DemandQuotes,
  findPricedCart,
  findPriceTerms,
  lockActiveCart,
  type PricedCart,
  type PriceOptions,
  presentCart,
  presentEmptyCart,
  priceCart,
  type StoredCart,
  withQuotes,
} from '@carton/cart';
import { findStore, type Store } from '@carton/core';
import { isReserved } from '@carton/inventory';
import { findOrder, storedAttribution } from '@carton/order';
import { choiceOfMethod, type PaymentWait, planTenders } from '@carton/payment';
import {
  type IfMatch,
  money,
  newId,
  runConcurrently,
  type ShopperSession,
  type Static,
  type TenantDatabase,
} from '@carton/runtime';
import { customerOf, missingFields, priceOptionsOf, requiredFields } from '../customer.ts';
import { recordGuestOrder } from '../guests/orders.ts';
import { guestLimitOf, guestOf, holdUnits, type OrderClient, takesUses } from '../guests/service.ts';
import { nothingToOrder } from '../nothing-to-order.ts';
import { guestRequirements, isPaymentRequired, termsOf } from '../placing/built-in.ts';
import { findUnmet } from '../placing/requirements.ts';
import type { Prepared } from '../placing/service.ts';
import { rejectStaleOffer, seenTotalOf } from '../preview/offer.ts';
import { reservationOf } from '../reservations/service.ts';
import type { Checkout, CheckoutPreview } from '../schemas.ts';
import { checkoutSettings } from '../settings.ts';
import { type DraftToWrite, type Placing, type Requirement, tenderSaleOf } from '../steps.ts';
import { recordCompleted } from './attempts.ts';

type Preview = Static<typeof CheckoutPreview>;

/**
 * Previews the order of the cart: contents, totals, tenders and unmet requirements.
 * @param paymentMethod whose fee is charged, if any
 * @param client of the request
 * @param demandQuotes in a transaction: ends it where the sale lacks a quote. Outside, the services are asked
 */
export async function previewCheckout(
  db: TenantDatabase,
  session: ShopperSession,
  { paymentMethod }: Pick<Checkout, 'paymentMethod'>,
  client: OrderClient,
  demandQuotes?: DemandQuotes,
): Promise<Preview> {
  const options = { choices: choiceOfMethod(paymentMethod) };
  const { found, store } = await findOffer(db, session, options);
  if (found) demandQuotes?.(found);
  const sale = found && (await withQuotes(db, found, () => priceCart(db, found.cart, options)));
  if (!sale) {
    const unmet = [{ code: 'cart_empty', detail: 'The cart is empty.' }, ...guestRequirements(store, session)];
    const cart = presentEmptyCart(db, await findPriceTerms(db, null));
    return {
      cart,
      tenders: [],
      left: cart.totals.total,
      ready: false,
      asks: store.checkoutRequires,
      terms: termsOf(store),
      paymentRequired: false,
      requirements: unmet.map(presentRequirement),
    };
  }
  const placing = { ...placingOf(sale, store, session), paymentMethod: paymentMethod ?? null, client };
  const unmet = await findUnmet(db, placing);
  const requirements = unmet.map(presentRequirement);
  const asks = missingFields(requiredFields(store, sale), placing.customer);
  const { parts, left } = await planTenders(db, tenderSaleOf(placing));
  const { currency } = sale.cart;
  return {
    cart: offerOf(sale),
    tenders: parts.map(({ tender, label, amount }) => ({ tender, label, amount: money(amount, currency) })),
    left: money(left, currency),
    ready: requirements.length === 0,
    asks,
    terms: termsOf(store),
    paymentRequired: isPaymentRequired(placing, left),
    requirements,
  };
}

/** Reads and prices a shopper's cart, and its store: after the cart, with which the store is in memory. */
export function findOffer(db: TenantDatabase, session: ShopperSession, options: PriceOptions) {
  return db.pipelined(async (one) => {
    const found = await findPricedCart(one, session, options);
    return { found, store: await findStore(one) };
  });
}

function presentRequirement({ code, detail, errors = [] }: Requirement): Preview['requirements'][number] {
  return { code, detail, pointer: errors[0]?.pointer ?? null };
}

/** The cart without `updatedAt`, which is not part of the offer and must not change its ETag. */
function offerOf(sale: PricedCart<StoredCart>): Preview['cart'] {
  return { ...presentCart(sale), updatedAt: null };
}

/**
 * The cart as the steps see it before it is locked.
 * @param body of POST /checkout; omitted for a preview
 * @param ifMatch of POST /checkout
 */
export function placingOf(
  sale: PricedCart<StoredCart>,
  store: Store,
  shopper: ShopperSession,
  body?: Checkout,
  ifMatch: IfMatch | null = null,
): Placing {
  const { cart } = sale;
  return {
    orderId: newId(),
    source: { type: 'cart', id: cart.id },
    sale,
    store,
    shopper,
    paymentMethod: body?.paymentMethod ?? null,
    reservation: null,
    customer: customerOf(cart, body?.customer ?? { email: null }),
    termsVersion: body?.terms?.version ?? null,
    seenCurrency: seenTotalOf(ifMatch, body?.expectedTotal)?.currency ?? null,
    isPreview: body === undefined,
  };
}

/** A checkout in progress: the state needed if it fails. */
export interface Attempt {
  cartId: string | null;
  /** The cart has become an order or was merged into a member's since it was read. */
  isCartClosed: boolean;
}

interface CartToOrder {
  body: Checkout;
  attempt: Attempt;
  /** Must match the response of GET /checkout once the cart is locked. */
  ifMatch: IfMatch | null;
  /** The header of the request, also where it was compared before. */
  seenOffer: IfMatch | null;
  demandQuotes: DemandQuotes;
  /** The client of the request. */
  client: OrderClient;
  /**
   * Called once every requirement is met; throws to reject the order.
   * @param left the amount that tenders leave to pay, in minor units
   */
  check(sale: PricedCart<StoredCart>, left: number): void;
  claim?(tx: TenantDatabase): Promise<unknown>;
  /** What the order waits for; asked after the claims. Null without a payment of a provider. */
  waitsFor(): PaymentWait | null;
  /** Writes further rows with the order. */
  complete(tx: TenantDatabase, order: DraftToWrite): Promise<unknown>;
}

/**
 * Locks and prices the shopper's cart for the order.
 * @throws cart_empty (409), offer_changed (412)
 */
export async function prepareCart(
  tx: TenantDatabase,
  shopper: ShopperSession,
  { body, attempt, ifMatch, seenOffer, demandQuotes, client, check, claim, waitsFor, complete }: CartToOrder,
): Promise<Prepared> {
  const options = priceOptionsOf(body);
  const cart = await lockActiveCart(tx, shopper, options.shippingAddress?.country);
  attempt.isCartClosed = cart === null;
  if (cart?.state === 'completed') {
    // This request waited while another placed the order.
    const order = await findOrder(tx, cart.orderId);
    if (!order) throw new Error(`the cart became the order ${cart.orderId}, which does not exist`);
    return { placed: order };
  }
  attempt.cartId = cart?.id ?? null;
  await rejectStaleOffer(ifMatch, () => previewCheckout(tx, shopper, body, client, demandQuotes));
  if (cart === null) throw await nothingToOrder(tx, shopper);
  const reservation = reservationOf(cart.id);
  const [sale, store, hasReservation] = await runConcurrently([
    () => priceCart(tx, cart, { stock: false, ...options }),
    () => findStore(tx),
    () => isReserved(tx, reservation),
  ]);
  const limit = guestLimitOf(store, tx);
  const guest = guestOf(shopper, body.customer.email, client);
  // What tenders leave to pay.
  let due = 0;
  const isUnpaid = () => {
    const wait = waitsFor();
    const isHeld = wait !== null && !wait.isAwaited && !wait.isByHand;
    return !isHeld && due > 0;
  };
  return {
    source: { type: 'cart', id: cart.id },
    sale,
    store,
    shopper,
    paymentMethod: body.paymentMethod ?? null,
    reservation: hasReservation ? reservation : null,
    times() {
      const { isAwaited, isByHand } = waitsFor() ?? { isAwaited: false, isByHand: false };
      const { unpaidOrderMinutes, pendingOrderMinutes } = checkoutSettings.of(store, tx);
      return {
        // Staff record when money by hand arrives.
        payBy: isByHand ? null : afterMinutes(unpaidOrderMinutes),
        pendingUntil: isAwaited ? afterMinutes(pendingOrderMinutes) : null,
      };
    },
    customer: customerOf(cart, body.customer),
    notes: body.notes ?? cart.note,
    attribution: storedAttribution(body.attribution),
    termsVersion: body.terms?.version ?? null,
    seenCurrency: seenTotalOf(seenOffer, body.expectedTotal)?.currency ?? null,
    check(left) {
      check(sale, left);
      due = left;
    },
    claim,
    complete: (inside, order) =>
      runConcurrently([
        () => completeCart(inside, cart.id, order.id),
        () => recordCompleted(inside, cart.id, order),
        () => complete(inside, order),
        () => guest && recordGuestOrder(inside, guest, order.id),
        () =>
          isUnpaid() &&
          limit !== null &&
          guest &&
          holdUnits(inside, limit, guest, {
            ...{ id: order.id, cartId: cart.id, lines: sale.lines },
            takesUses: takesUses(sale),
          }),
      ]),
  };
}

/** When an order from a cart is canceled by a setting; null for never. */
function afterMinutes(minutes: number): Date | null {
  return minutes === 0 ? null : new Date(Date.now() + minutes * 60_000);
}
