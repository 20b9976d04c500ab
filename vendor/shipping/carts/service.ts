/**
 * The options of a cart, and the choice of one.
 */
import {
  type Cart,
  type CartMerge,
  type CartShopper,
  type ChangeById,
  findActiveCart,
  findCart,
  findPricedCart,
  ownerOf,
  type PricedCart,
  presentQuoted,
  priceCart,
  type Sale,
  type StoredCart,
  saleOfCart,
  setPickupAddress,
  writeCart,
} from '@carton/cart';
import {
  invalidField,
  money,
  notFound,
  runConcurrently,
  type ShopperSession,
  type TenantDatabase,
} from '@carton/runtime';
import { pickupType, ratesAskServices } from '../options/sources.ts';
import { shippingOptionUnavailable } from '../problems.ts';
import { destinationOf, type PickupLocation } from '../sales/pickup.ts';
import { linesOf, missingQuoteOf, type Parcels, parcelsOf, quoteOf } from '../sales/quotes.ts';
import { readShipping, type ShippingRead } from '../sales/reads.ts';
import type { CartShipping } from '../sales/schemas.ts';
import { type ShippingChoice, shippingStep } from '../sales/step.ts';
import type { StoredOption } from '../sales/store.ts';
import type { AdminCartShippingOptions, CartShippingOptions, ChooseShippingMethod } from './schemas.ts';
import { copyMethods, hasDelivery, insertMethods, putDelivery, removeMethods } from './store.ts';

interface Offer {
  read: ShippingRead;
  parcels: Parcels;
}

/** All options of the store as they apply to a cart. */
async function offerTo(db: TenantDatabase, priced: PricedCart): Promise<Offer> {
  return offerOf(priced, await readAllOptions(db, priced.sale));
}

function readAllOptions(db: TenantDatabase, sale: Sale): Promise<ShippingRead> {
  const stored = sale.storedChoices?.[shippingStep.name] as ShippingChoice | undefined;
  return readShipping(db, sale, stored?.methods, true);
}

function offerOf(priced: PricedCart, read: ShippingRead): Offer {
  return { read, parcels: parcelsOf(linesOf(priced), priced.sale.currency, read.profiles) };
}

/**
 * The offer with the prices of services, which are asked outside of any transaction: once for the goods of each profile.
 * Without an answer the options have their own rates.
 */
async function quotedOfferTo(db: TenantDatabase, priced: PricedCart, first?: Offer): Promise<Offer> {
  const asked = new Set<string | null>();
  for (let offer = first ?? (await offerTo(db, priced)); ; ) {
    if (db.inTransaction) return offer;
    const { read, parcels } = offer;
    const missing = read.options.flatMap((option) => {
      const quote = asked.has(option.profile) ? null : missingQuoteOf(option, parcels, read);
      return quote?.ask ? [{ ask: quote.ask, profile: option.profile }] : [];
    });
    const [next] = missing;
    if (!next) return offer;
    asked.add(next.profile);
    if (await next.ask(db, null)) offer = await offerTo(db, priced);
  }
}

/** The options that the shopper can buy, for each profile of the goods. */
export async function listCartOptions(db: TenantDatabase, session: ShopperSession): Promise<CartShippingOptions> {
  const first = await db.pipelined(async (one) => {
    const owner = ownerOf(session);
    const cart = owner && (await findActiveCart(one, owner));
    if (!cart) return null;
    const [priced, read] = await Promise.all([priceCart(one, cart), readAllOptions(one, saleOfCart(cart))]);
    return { priced, offer: offerOf(priced, read) };
  });
  if (!first) return { groups: [] };
  const { read, parcels } = await quotedOfferTo(db, first.priced, first.offer);
  const { currency } = first.priced.sale;
  const groups = [...parcels.keys()].map((code) => ({
    profile: code,
    chosenOptionId: read.chosen.find((each) => each.profile === code)?.optionId ?? null,
    options: read.options
      .filter((option) => option.profile === code)
      .flatMap((option) => {
        const rate = quoteOf(option, parcels, read);
        const locations = option.type === pickupType ? [...read.locations] : [];
        return 'reason' in rate
          ? []
          : [{ ...namesOf(option), price: money(rate.amount, currency), pickupLocations: locations }];
      })
      .sort((one, other) => one.price.amount - other.price.amount),
  }));
  return { groups };
}

/** All options of the store, with the reasons why some are not offered to a cart. @throws not_found (404) */
export async function explainCartOptions(db: TenantDatabase, id: string): Promise<AdminCartShippingOptions> {
  const cart = await findCart(db, id);
  if (!cart) throw notFound(`There is no cart with the id ${id}.`);
  const { read, parcels } = await quotedOfferTo(db, await priceCart(db, cart));
  const items = read.options.map((option) => {
    const rate = quoteOf(option, parcels, read);
    const own = { ...namesOf(option), profile: option.profile };
    if ('reason' in rate) return { ...own, price: null, reason: rate.reason, detail: rate.detail };
    return { ...own, price: money(rate.amount, cart.currency), reason: null, detail: null };
  });
  return { items };
}

const namesOf = ({ id, code, name, type }: StoredOption) => ({ id, code, name, type });

/**
 * Chooses an option for the goods of its profile, in place of any other.
 * @throws invalid_request (400) without a place of pickup, shipping_option_unavailable (409)
 */
export async function chooseMethod({ db, session, client }: CartShopper, choice: ChooseShippingMethod): Promise<Cart> {
  // An option without a rate of its own can be chosen once its price is known.
  const before = ratesAskServices(db) && !db.inTransaction ? await findPricedCart(db, session) : null;
  if (before) await quotedOfferTo(db, before);
  const choose = choice.pickupLocationId === undefined ? chooseDelivery : choosePickup;
  return presentQuoted(db, await choose(db, session, choice), { session, client });
}

/** Stores the choice, and rolls it back unless the cart priced with it can be shipped by it. */
function chooseDelivery(db: TenantDatabase, session: ShopperSession, choice: ChooseShippingMethod) {
  const { optionId } = choice;
  const change: ChangeById = {
    byId: (tx, cartId) => putDelivery(tx, cartId, optionId),
    isWhole: ({ isPickedUp }) => !isPickedUp,
    async inFull(tx, { id }) {
      await runConcurrently([() => putDelivery(tx, id, optionId), () => setPickupAddress(tx, id, null)]);
      return undefined;
    },
  };
  return writeCart(db, session, change, async (priced, tx) => {
    const shown = priced.shown.shipping as CartShipping[];
    if (shown.some((each) => each.optionId === optionId && each.state === 'chosen')) return;
    const offer = await offerTo(tx, priced);
    const { option } = chosenIn(offer, choice);
    throw unavailable(`The option ${option.code} is not offered any more.`);
  });
}

function choosePickup(db: TenantDatabase, session: ShopperSession, choice: ChooseShippingMethod) {
  return writeCart(db, session, async (tx, { id }) => {
    const offer = await offerTo(tx, await priceCart(tx, (await findCart(tx, id)) as StoredCart));
    const { read, parcels } = offer;
    const { option, location } = chosenIn(offer, choice);
    const chosen = { profile: option.profile, optionId: option.id, pickupLocationId: location?.id ?? null };
    const others = read.chosen.filter((each) => each.profile !== option.profile && parcels.has(each.profile));
    const isPickedUp = location !== null && others.every((each) => each.pickupLocationId !== null);
    await runConcurrently([
      // Choices for profiles that the cart no longer has go.
      () => removeMethods(tx, id),
      () => insertMethods(tx, id, [...others, chosen]),
      () => setPickupAddress(tx, id, isPickedUp ? destinationOf(location) : null),
    ]);
  });
}

/** Finds the chosen option and place of pickup in an offer. @throws invalid_request, shipping_option_unavailable */
function chosenIn({ read, parcels }: Offer, { optionId, pickupLocationId }: ChooseShippingMethod) {
  const option = read.options.find((each) => each.id === optionId);
  if (!option) throw unavailable('The store has no such option.');
  const rate = quoteOf(option, parcels, read);
  if ('reason' in rate) throw unavailable(rate.detail);
  return { option, location: locationFor(option, pickupLocationId, read) };
}

function unavailable(detail: string) {
  return shippingOptionUnavailable(detail, { errors: [{ in: 'body', pointer: '/optionId', detail }] });
}

function locationFor(
  { type }: StoredOption,
  pickupLocationId: string | undefined,
  { locations }: ShippingRead,
): PickupLocation | null {
  if (type !== pickupType) {
    if (pickupLocationId !== undefined) throw invalidField('/pickupLocationId', 'is only for an option of type pickup');
    return null;
  }
  const location = locations.find(({ id }) => id === pickupLocationId);
  if (!location) throw invalidField('/pickupLocationId', 'must be a location of the option');
  return location;
}

/** Moves the choices of a guest's cart to the member's, for profiles without a choice. */
export const mergeMethods: CartMerge = async (tx, { fromId, intoId }) => {
  const isChanged = await copyMethods(tx, fromId, intoId);
  await removeMethods(tx, fromId);
  if (!isChanged) return;
  const [from, into] = [await findCart(tx, fromId), await findCart(tx, intoId)];
  const place = into?.pickupAddress ?? from?.pickupAddress ?? null;
  await setPickupAddress(tx, intoId, (await hasDelivery(tx, intoId)) ? null : place);
};
