/**
 * Cart rules. Each change locks the cart, applies, and returns the complete cart, priced.
 */
import { insufficientStock } from '@carton/inventory';
import { findRegionOfCountry, hasRegions, holdRegion, type RegionRow } from '@carton/region';
import {
  countryName,
  invalidField,
  isForeignKeyViolation,
  notFound,
  type ProblemDefinition,
  publish,
  requireCity,
  runConcurrently,
  type ShopperSession,
  type TenantDatabase,
} from '@carton/runtime';
import { cartCreated, cartUpdated } from './events.ts';
import { cartCleanUps } from './guests/old-carts.ts';
import { normalizeProperties } from './items/properties.ts';
import { addToLine, removeLines, setAddress, setQuantity } from './items/store.ts';
import { type Owner, ownerOf } from './owner-store.ts';
import { explainIssue } from './pricing/issues.ts';
import { type Issue, type PricedCart, type PricedLine, type PriceOptions, priceCart } from './pricing/service.ts';
import { cartFull, countryNotServed, quantityLimit, variantNotFound, variantNotPriced } from './problems.ts';
import { withQuotes } from './quotes/service.ts';
import {
  type AddCartItem,
  type AdminCart,
  type Cart,
  type ChangeCart,
  type ChangeCartItem,
  maxCartLines,
  maxLineQuantity,
  type SetCartAddress,
} from './schemas.ts';
import {
  type AddressType,
  acceptCurrency,
  type CartHeader,
  findActiveCart,
  findCart,
  insertCart,
  type NewCartDetails,
  type StoredCart,
  touchActiveCart,
  updateDetails,
} from './store.ts';
import { chooseCountry, findPriceTerms } from './terms-store.ts';
import { presentAdminCart, presentCart, presentEmptyCart } from './view.ts';

/**
 * Reads and prices a shopper's active cart, without locks; null if there is none.
 * @param options an address among them takes the place of the cart's also in choosing the region
 */
export async function findPricedCart(
  db: TenantDatabase,
  session: Pick<ShopperSession, 'memberId' | 'hash'>,
  options?: PriceOptions,
): Promise<PricedCart<StoredCart> | null> {
  const owner = ownerOf(session);
  if (!owner) return null;
  return db.pipelined(async (one) => {
    const cart = await findActiveCart(one, owner, options?.shippingAddress?.country);
    return cart && priceCart(one, cart, options);
  });
}

/** Presents a cart that was just read or changed, with the quotes of the services that its prices depend on. */
export async function presentQuoted(db: TenantDatabase, priced: PricedCart<StoredCart>): Promise<Cart> {
  return presentCart(await withQuotes(db, priced, () => priceCart(db, priced.cart)));
}

/** Reads a shopper's active cart; returns an empty one, without storing it, if there is none. */
export async function readCart(db: TenantDatabase, session: ShopperSession): Promise<Cart> {
  const priced = await findPricedCart(db, session);
  return priced ? presentQuoted(db, priced) : presentEmptyCart(db, await findPriceTerms(db, null));
}

/** @throws not_found (404) */
export async function readAdminCart(db: TenantDatabase, id: string): Promise<AdminCart> {
  return db.pipelined(async (one) => {
    const cart = await findCart(one, id);
    if (!cart) throw notFound(`There is no cart with the id ${id}.`);
    return presentAdminCart(await priceCart(one, cart));
  });
}

/**
 * Adds a quantity of a variant to the line with the same properties; creates cart and line if necessary.
 * @throws invalid_request (400), variant_not_found (404), variant_not_priced, insufficient_stock, quantity_limit,
 *   cart_full (409)
 */
export async function addItem(db: TenantDatabase, session: ShopperSession, item: AddCartItem): Promise<Cart> {
  const { variantId, quantity } = item;
  const properties = normalizeProperties(item.properties);
  let lineId: string | null = null;
  const add = async (tx: TenantDatabase, cartId: string) => {
    lineId = await addToLine(tx, cartId, { variantId, quantity, properties });
    if (lineId === null) throw quantityLimit(`A line can hold at most ${maxLineQuantity} of a variant.`);
  };
  const check: Check = ({ cart, lines }) => {
    if (lines.length > maxCartLines) throw cartFull(`A cart can hold at most ${maxCartLines} lines.`);
    rejectIssues(
      cart,
      lines.find((line) => line.id === lineId),
    );
  };
  const change: CartChange = (tx, { id }) => ({ sent: add(tx, id) });
  const priced = await writeCart(db, session, change, check).catch((error) => {
    throw isForeignKeyViolation(error, 'cart_line_items_variant')
      ? variantNotFound(`There is no variant for sale with the id ${variantId}.`)
      : error;
  });
  return presentQuoted(db, priced);
}

/** @throws not_found, variant_not_found (404), variant_not_priced, insufficient_stock (409) */
export async function changeItem(
  db: TenantDatabase,
  session: ShopperSession,
  id: string,
  { quantity }: ChangeCartItem,
): Promise<Cart> {
  const set = async (tx: TenantDatabase, cartId: string) => {
    if (!(await setQuantity(tx, cartId, id, quantity))) throw itemNotFound(id);
  };
  const check: Check = ({ cart, lines }) =>
    rejectIssues(
      cart,
      lines.find((line) => line.id === id),
    );
  return presentQuoted(db, await writeItem(db, session, id, (tx, cart) => ({ sent: set(tx, cart.id) }), check));
}

/** @throws not_found (404) */
export async function removeItem(db: TenantDatabase, session: ShopperSession, id: string): Promise<void> {
  const remove: CartChange = async (tx, cart) => {
    if ((await removeLines(tx, cart.id, id)) === 0) throw itemNotFound(id);
    return undefined;
  };
  await writeItem(db, session, id, remove, async ({ cart, lines }, tx) => {
    if (lines.length === 0) await releaseHeld(tx, cart.id);
  });
}

/** Removes all lines; region, addresses and other details remain. */
export async function emptyCart(db: TenantDatabase, session: ShopperSession): Promise<void> {
  await db.transaction(async (tx) => {
    const owner = ownerOf(session);
    const locked = owner && (await touchActiveCart(tx, owner));
    if (!locked) return;
    await removeLines(tx, locked.id);
    await releaseHeld(tx, locked.id);
    await publishChange(tx, await findLocked(tx, locked), cartUpdated);
  });
}

/** Releases what other packages hold for a locked cart that has become empty. */
export async function releaseHeld(tx: TenantDatabase, cartId: string): Promise<void> {
  for (const { emptied } of cartCleanUps.of(tx)) await emptied?.(tx, cartId);
}

/**
 * Changes details of the cart; creates the cart if necessary. A region sets its currency. One that was chosen, by itself or by
 * a country, stays until another is; without one, the region follows the address.
 * @throws invalid_request (400) for an unknown region or currency, or a currency that is not the region's;
 *   country_not_served (409) for a country without a region, in a store that has regions
 */
export async function changeCart(
  db: TenantDatabase,
  session: ShopperSession,
  { regionId: requestedId, country, currency, locale, email, note }: ChangeCart,
): Promise<Cart> {
  if (country !== undefined && requestedId !== undefined) throw invalidField('/country', 'excludes regionId');
  const priced = await db.transaction(async (tx) => {
    // Lock order: the region before the cart, as when a region is deleted.
    const region = await lockRequestedRegion(tx, requestedId, country);
    if (requestedId && !region) throw invalidField('/regionId', 'must be the id of a region of this store');
    if (region && currency !== undefined && currency !== region.currency) {
      throw invalidField('/currency', `must be ${region.currency}, the currency of the region`);
    }
    return writeCart(tx, session, async (_, cart) => {
      if (requestedId === undefined && !region && currency !== undefined) {
        rejectOtherCurrency(await findLocked(tx, cart), currency);
      }
      // Another region ends the choice of a country that it does not sell to.
      const keepsCountry = cart.country !== null && region?.countries.includes(cart.country);
      const chosen = requestedId === undefined || keepsCountry ? country : null;
      const regionId = country === undefined ? requestedId : (region?.id ?? null);
      await runConcurrently([
        () => updateDetails(tx, cart.id, { regionId, currency, locale, email, note }),
        () => (chosen === undefined ? undefined : chooseCountry(tx, cart.id, chosen)),
      ]);
      return { acceptsCurrency: regionId !== undefined || currency !== undefined };
    });
  });
  return presentQuoted(db, priced);
}

function rejectOtherCurrency({ regionId, currency: own }: StoredCart, currency: string): void {
  if (regionId === null || currency === own) return;
  throw invalidField('/currency', `must be ${own}, the currency of the cart's region`);
}

/**
 * Locks a region by id, or that of a country; null for a store without regions. @throws country_not_served (409)
 */
async function lockRequestedRegion(
  tx: TenantDatabase,
  id: string | null | undefined,
  country: string | undefined,
): Promise<RegionRow | null> {
  if (country === undefined) return id ? holdRegion(tx, id) : null;
  // Retries while the country moves to another region before the lock.
  for (let attempt = 0; attempt < 5; attempt++) {
    const found = await findRegionOfCountry(tx, country);
    if (!found) break;
    const region = await holdRegion(tx, found.id);
    if (region?.countries.includes(country)) return region;
  }
  if (!(await hasRegions(tx))) return null;
  throw countryNotServed(`The store does not sell to ${countryName(country)}.`);
}

/** Sets an address of the cart; creates the cart if necessary. @throws invalid_request (400) without a town */
export async function changeAddress(
  db: TenantDatabase,
  session: ShopperSession,
  type: AddressType,
  address: SetCartAddress,
): Promise<Cart> {
  requireCity(address);
  const change: CartChange = (tx, { id }) => ({ sent: setAddress(tx, id, type, address) });
  return presentQuoted(db, await writeCart(db, session, change));
}

/** The details of a new cart: nothing is chosen yet. */
const newDetails = { regionId: null, currency: null, locale: null, email: null, note: null };

/**
 * Locks the active cart of an owner for a change; creates it if there is none. Of concurrent first writes one creates the
 * cart and the others find it.
 * @param details of a new cart; default: nothing chosen
 */
export async function lockOrCreateCart(
  tx: TenantDatabase,
  owner: Owner,
  details: NewCartDetails = newDetails,
): Promise<CartHeader & { isNew: boolean }> {
  // Retries if a concurrent request created a cart in between, and again if that cart has been completed since.
  for (let attempt = 0; attempt < 5; attempt++) {
    const existing = await touchActiveCart(tx, owner);
    if (existing) return { ...existing, isNew: false };
    const created = await insertCart(tx, owner, details);
    if (created) return { ...created, isNew: true };
  }
  throw new Error(`could not create a cart for ${owner.by} ${owner.key}`);
}

/** Checks the cart after the change, in the same transaction; throws to roll the change back. */
export type Check = (priced: PricedCart, tx: TenantDatabase) => void | Promise<void>;

/**
 * Changes rows of the locked cart. A change whose last statements are sent without waiting for each other returns them as
 * `sent`: the cart is read behind them, in the same round trip.
 */
export type CartChange = (tx: TenantDatabase, cart: CartHeader) => Promise<Changed | undefined> | Changed;
interface Changed {
  readonly sent?: Promise<unknown>;
  /** The shopper accepts the currency in which the cart is priced then. */
  readonly acceptsCurrency?: boolean;
}

/**
 * Changes a shopper's cart, or what another package stores for it; creates cart and session if necessary.
 * @returns the priced cart, for `presentQuoted`
 */
export function writeCart(
  db: TenantDatabase,
  session: ShopperSession,
  change: CartChange,
  check?: Check,
): Promise<PricedCart<StoredCart>> {
  return db.transaction(async (tx) => {
    const owner = ownerOf(session);
    const locked = owner ? await lockOrCreateCart(tx, owner) : await createCartOfNewSession(tx, session);
    return changeAndPublish(tx, locked, change, locked.isNew ? cartCreated : cartUpdated, check);
  });
}

async function createCartOfNewSession(tx: TenantDatabase, session: ShopperSession) {
  const created = await insertCart(tx, { by: 'session', key: session.begin() }, newDetails);
  if (!created) throw new Error('a new session has a cart');
  return { ...created, isNew: true };
}

/** Changes a shopper's cart like `writeCart`; returns null if there is none. */
export function writeExistingCart(
  db: TenantDatabase,
  session: ShopperSession,
  change: CartChange,
  check?: Check,
): Promise<PricedCart<StoredCart> | null> {
  return db.transaction(async (tx) => {
    const owner = ownerOf(session);
    const locked = owner && (await touchActiveCart(tx, owner));
    return locked && changeAndPublish(tx, locked, change, cartUpdated, check);
  });
}

/** Changes an item of a shopper's cart. @throws not_found (404) if there is no cart and therefore no such item */
async function writeItem(
  db: TenantDatabase,
  session: ShopperSession,
  id: string,
  change: CartChange,
  check?: Check,
): Promise<PricedCart<StoredCart>> {
  const cart = await writeExistingCart(db, session, change, check);
  if (!cart) throw itemNotFound(id);
  return cart;
}

/** Changes the locked cart, prices and checks it, and publishes its event. */
async function changeAndPublish(
  tx: TenantDatabase,
  locked: CartHeader,
  change: CartChange,
  event: typeof cartCreated,
  check?: Check,
): Promise<PricedCart<StoredCart>> {
  const { sent, acceptsCurrency = false } = (await change(tx, locked)) ?? {};
  const [, changed] = await runConcurrently([() => sent, () => findLocked(tx, locked)]);
  // What the shopper saw of an empty cart were no prices.
  const cart = locked.isEmpty || acceptsCurrency ? await acceptCurrency(tx, changed) : changed;
  // The event shares the round trip of the prices; a failed check rolls it back with everything else.
  const [priced] = await Promise.all([priceCart(tx, cart), publishChange(tx, cart, event)]);
  await check?.(priced, tx);
  return priced;
}

function findLocked(tx: TenantDatabase, { id }: CartHeader): Promise<StoredCart> {
  return findCart(tx, id) as Promise<StoredCart>;
}

type EventSource = Pick<StoredCart, 'id' | 'memberId' | 'regionId' | 'currency' | 'lines'>;

function publishChange(tx: TenantDatabase, cart: EventSource, event: typeof cartCreated): Promise<void> {
  return publish(tx, event, { type: 'cart', id: cart.id }, payloadOf(cart));
}

/** The payload of a cart's events. */
export function payloadOf({ memberId, regionId, currency, lines }: EventSource) {
  return { memberId, regionId, currency, itemCount: lines.reduce((sum, { quantity }) => sum + quantity, 0) };
}

const problemOfIssue: Record<Issue, ProblemDefinition> = {
  unavailable: variantNotFound,
  unpriced: variantNotPriced,
  insufficient_stock: insufficientStock,
  quantity_limit: quantityLimit,
};

/** The problem that rejects a line with an issue. */
export function problemOf(issue: Issue): ProblemDefinition {
  return problemOfIssue[issue];
}

function rejectIssues({ currency }: { currency: string }, line: PricedLine | undefined): void {
  const [issue] = line?.issues ?? [];
  if (line && issue) throw problemOfIssue[issue](explainIssue(line, issue, currency));
}

function itemNotFound(id: string) {
  return notFound(`There is no item with the id ${id} in the cart.`);
}
