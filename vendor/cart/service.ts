/**
 * Reading and changing a cart, whatever is in it. Each change locks the cart, applies, and returns the complete cart, priced.
 */
import { publish, runConcurrently, type ShopperSession, type TenantDatabase } from '@carton/runtime';
import { cartCreated, cartUpdated } from './events.ts';
import { type Owner, ownerOf } from './owner-store.ts';
import { type PricedCart, type PriceOptions, priceCart } from './pricing/cart.ts';
import { withQuotes } from './quotes/service.ts';
import type { Cart } from './schemas.ts';
import {
  acceptCurrency,
  type CartHeader,
  findActiveCart,
  findCart,
  insertCart,
  type NewCartDetails,
  type StoredCart,
  touchActiveCart,
} from './store.ts';
import { presentCart } from './view.ts';

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

/** The details of a new cart: nothing is chosen yet. */
const newDetails = { regionId: null, currency: null, locale: null, email: null, note: null, taxNumber: null };

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

/** Reads a locked cart. */
export function findLocked(tx: TenantDatabase, { id }: CartHeader): Promise<StoredCart> {
  return findCart(tx, id) as Promise<StoredCart>;
}

type EventSource = Pick<StoredCart, 'id' | 'memberId' | 'regionId' | 'currency' | 'lines'>;

/** Publishes that a cart was created or changed. */
export function publishChange(tx: TenantDatabase, cart: EventSource, event: typeof cartCreated): Promise<void> {
  return publish(tx, event, { type: 'cart', id: cart.id }, payloadOf(cart));
}

/** The payload of a cart's events. */
export function payloadOf({ memberId, regionId, currency, lines }: EventSource) {
  return { memberId, regionId, currency, itemCount: lines.reduce((sum, { quantity }) => sum + quantity, 0) };
}
