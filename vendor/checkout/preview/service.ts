/**
 * The order of a cart before it is placed: its preview, and what the steps of placing it see then.
 */
import {
  type DemandQuotes,
  findPricedCart,
  findPriceTerms,
  type PricedCart,
  type PriceOptions,
  presentCart,
  presentEmptyCart,
  priceCart,
  type StoredCart,
  withQuotes,
} from '@carton/cart';
import { findStore, type Store } from '@carton/core';
import { choiceOfMethod, planTenders } from '@carton/payment';
import { type IfMatch, money, newId, type ShopperSession, type Static, type TenantDatabase } from '@carton/runtime';
import { customerOf, missingFields, requiredFields } from '../customer.ts';
import type { OrderClient } from '../guests/service.ts';
import { guestRequirements, isPaymentRequired, termsOf } from '../placing/built-in.ts';
import { findUnmet } from '../placing/requirements.ts';
import type { Checkout, CheckoutPreview } from '../schemas.ts';
import { type Placing, type Requirement, tenderSaleOf } from '../steps.ts';
import { seenTotalOf } from './offer.ts';

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
  const offer = await findOffer(db, { session, client }, { options, demandQuotes });
  const { store } = offer;
  if (!offer.priced) {
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
  const { priced } = offer;
  const placing = { ...offer.placing, paymentMethod: paymentMethod ?? null, client };
  const unmet = await findUnmet(db, placing);
  const requirements = unmet.map(presentRequirement);
  const asks = missingFields(requiredFields(store, priced), placing.customer);
  const { parts, left } = await planTenders(db, tenderSaleOf(placing));
  const { currency } = priced.cart;
  return {
    cart: cartOf(priced),
    tenders: parts.map(({ tender, label, amount }) => ({ tender, label, amount: money(amount, currency) })),
    left: money(left, currency),
    ready: requirements.length === 0,
    asks,
    terms: termsOf(store),
    paymentRequired: isPaymentRequired(placing, left),
    requirements,
  };
}

function presentRequirement({ code, detail, errors = [] }: Requirement): Preview['requirements'][number] {
  return { code, detail, pointer: errors[0]?.pointer ?? null };
}

/** The cart without `updatedAt`, which is not part of the offer and must not change its ETag. */
function cartOf(priced: PricedCart<StoredCart>): Preview['cart'] {
  return { ...presentCart(priced), updatedAt: null };
}

/** A shopper's cart as it would be ordered, and its store. */
type Offer = { store: Store } & (
  | { priced: PricedCart<StoredCart>; placing: Placing }
  | { priced: null; placing: null }
);

interface OfferRequest {
  options: PriceOptions;
  /** Of POST /checkout; omitted for a preview. */
  body?: Checkout;
  /** Of POST /checkout. */
  ifMatch?: IfMatch | null;
  /** In a transaction: ends it where the sale lacks a quote. Outside, the services are asked. */
  demandQuotes?: DemandQuotes | undefined;
}

/**
 * Reads and prices a shopper's cart without locks, with the quotes that it lacks; `priced` is null without a cart.
 * @throws too_many_requests (429) for an order of who has asked services too much
 */
export async function findOffer(
  db: TenantDatabase,
  { session, client }: { session: ShopperSession; client: OrderClient },
  { options, body, ifMatch, demandQuotes }: OfferRequest,
): Promise<Offer> {
  const { found, store } = await db.pipelined(async (one) => {
    const found = await findPricedCart(one, session, options);
    // After the cart, with which the store is in memory.
    return { found, store: await findStore(one) };
  });
  if (!found) return { store, priced: null, placing: null };
  demandQuotes?.(found);
  const priced = await withQuotes(db, found, () => priceCart(db, found.cart, options), {
    asker: { session, client },
    isOrder: body !== undefined,
  });
  return { store, priced, placing: placingOf(priced, store, session, body, ifMatch) };
}

/** The cart as the steps see it before it is locked. */
function placingOf(
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
