/**
 * Changing a cart, whatever is in it. Each change locks the cart, applies, publishes its event, and returns the complete
 * cart, priced.
 */
import { newId, publish, runConcurrently, type ShopperSession, type TenantDatabase } from '@carton/runtime';
import { cartCreated, cartUpdated } from '../events.ts';
import { type Owner, ownerOf } from '../owner-store.ts';
import { type PricedCart, priceCart } from '../pricing/cart.ts';
import type { KnownReads } from '../pricing/service.ts';
import {
  acceptCurrency,
  type CartHeader,
  findCart,
  insertCart,
  type NewCartDetails,
  type StoredCart,
  touchActiveCart,
} from '../store.ts';
import { knownCartOf, rememberCart } from './known-carts.ts';

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
  /** Sent like `sent`, it reads what steps of the totals would read of the cart as it is then. */
  readonly known?: Promise<KnownReads>;
  /** The shopper accepts the currency in which the cart is priced then. */
  readonly acceptsCurrency?: boolean;
}

/** A change that needs of the cart only its id, as far as that is known. Then it shares the round trip of the lock. */
export interface ChangeById {
  /** Sends the statements. They are rolled back if the owner has another cart. */
  byId(tx: TenantDatabase, cartId: string): Promise<unknown>;
  /** Whether `byId` is all that has to be done. Default: it is. */
  isWhole?(cart: CartHeader): boolean;
  /** The change of a cart for which it is not. */
  inFull?: CartChange;
}

/**
 * Changes a shopper's cart, or what another package stores for it; creates cart and session if necessary. Without a check
 * the change is committed before the cart is priced.
 * @returns the priced cart, for `presentQuoted`
 */
export async function writeCart(
  db: TenantDatabase,
  session: ShopperSession,
  change: CartChange | ChangeById,
  check?: Check,
): Promise<PricedCart<StoredCart>> {
  const owner = ownerOf(session);
  const known = typeof change === 'function' ? null : await writeKnownCart(db, session, change, check);
  const inFull = typeof change === 'function' ? change : (change.inFull ?? inFullOf(change));
  const write = async (tx: TenantDatabase) => {
    const locked = owner ? await lockOrCreateCart(tx, owner) : await createCartOfNewSession(tx, session);
    return { ...(await applyChange(tx, locked, inFull)), event: locked.isNew ? cartCreated : cartUpdated };
  };
  const priced = known ?? (await publishAndPrice(db, write, check));
  rememberCart(db, ownerOf(session), priced.cart);
  return priced;
}

const inFullOf =
  ({ byId }: ChangeById): CartChange =>
  (tx, { id }) => ({ sent: byId(tx, id) });

async function createCartOfNewSession(tx: TenantDatabase, session: ShopperSession, id?: string) {
  const created = await insertCart(tx, { by: 'session', key: session.begin() }, newDetails, id);
  if (!created) throw new Error('a new session has a cart');
  return { ...created, isNew: true };
}

/** The owner has another cart than was known, or the change of it is not whole. */
class OtherCart extends Error {}

/**
 * Changes the cart of a new session, or one that is likely to be the owner's: it is locked, changed and read in one round
 * trip.
 * @returns null, with nothing changed, if the cart was not known or is another
 */
async function writeKnownCart(
  db: TenantDatabase,
  session: ShopperSession,
  { byId, isWhole }: ChangeById,
  check?: Check,
): Promise<PricedCart<StoredCart> | null> {
  const owner = ownerOf(session);
  const id = owner ? knownCartOf(db, owner) : newId();
  // An outer transaction could not be rolled back.
  if (id === undefined || (owner && db.inTransaction)) return null;
  const write = async (tx: TenantDatabase): Promise<Applied & { event: typeof cartCreated }> => {
    const locking = owner ? touchActiveCart(tx, owner) : createCartOfNewSession(tx, session, id);
    const applying = runConcurrently([() => byId(tx, id), () => findCart(tx, id)]);
    const [locked, applied] = await Promise.allSettled([locking, applying]);
    if (locked.status === 'rejected') throw locked.reason;
    if (locked.value?.id !== id || isWhole?.(locked.value) === false) throw new OtherCart();
    if (applied.status === 'rejected') throw applied.reason;
    const changed = applied.value[1] as StoredCart;
    return { cart: await accepted(tx, locked.value, changed), event: owner ? cartUpdated : cartCreated };
  };
  try {
    return await publishAndPrice(db, write, check);
  } catch (error) {
    if (!(error instanceof OtherCart)) throw error;
    return null;
  }
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
    if (!locked) return null;
    const write = async () => ({ ...(await applyChange(tx, locked, change)), event: cartUpdated });
    return publishAndPrice(tx, write, check);
  });
}

/** A changed cart, before its prices. */
interface Applied {
  cart: StoredCart;
  known?: KnownReads | undefined;
}

/** A changed cart in the currency that the shopper accepts: what the shopper saw of an empty one were no prices. */
async function accepted(
  tx: TenantDatabase,
  { isEmpty }: CartHeader,
  changed: StoredCart,
  acceptsCurrency = false,
): Promise<StoredCart> {
  return isEmpty || acceptsCurrency ? acceptCurrency(tx, changed) : changed;
}

/** Changes the locked cart and reads it. */
async function applyChange(tx: TenantDatabase, locked: CartHeader, change: CartChange): Promise<Applied> {
  const { sent, known, acceptsCurrency } = (await change(tx, locked)) ?? {};
  const [, reads, changed] = await runConcurrently([() => sent, () => known, () => findLocked(tx, locked)]);
  return { cart: await accepted(tx, locked, changed, acceptsCurrency), known: reads };
}

/** Changes a cart, publishes its event, and prices and checks it; the event shares the round trip of the prices. */
function publishAndPrice(
  db: TenantDatabase,
  write: (tx: TenantDatabase) => Promise<Applied & { event: typeof cartCreated }>,
  check: Check | undefined,
): Promise<PricedCart<StoredCart>> {
  if (!check) {
    return db.transactionThen(
      async (tx) => {
        const { cart, known, event } = await write(tx);
        return { sent: publishChange(tx, cart, event), value: { cart, known } };
      },
      (one, { cart, known }) => priceCart(one, cart, { known }),
    );
  }
  return db.transaction(async (tx) => {
    const { cart, known, event } = await write(tx);
    const [priced] = await runConcurrently([
      () => priceCart(tx, cart, { known }),
      // A failed check rolls it back with everything else.
      () => publishChange(tx, cart, event),
    ]);
    await check(priced, tx);
    return priced;
  });
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
