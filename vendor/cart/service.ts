/**
 * Rules of carts. A change locks the cart, is made, and is answered with the whole cart as it then is, priced.
 */
import { findStore } from '@carton/core';
import { insufficientStock } from '@carton/inventory';
import { holdRegion } from '@carton/region';
import {
  invalidField,
  isForeignKeyViolation,
  notFound,
  publish,
  type ShopperSession,
  type TenantDatabase,
} from '@carton/runtime';
import { cartCreated, cartUpdated } from './events.ts';
import { explainIssue } from './issues.ts';
import { type Issue, type PricedCart, type PricedLine, type PriceOptions, priceCart } from './pricing.ts';
import { cartFull, quantityLimit, variantNotFound, variantNotPriced } from './problems.ts';
import { normalizeProperties } from './properties.ts';
import {
  type AddCartItem,
  type AdminCart,
  type Cart,
  type ChangeCart,
  type ChangeCartItem,
  mostLines,
  mostPieces,
  type SetCartAddress,
} from './schemas.ts';
import {
  type AddressType,
  addToLine,
  type CartDetails,
  findActiveCart,
  findCart,
  type HeldCart,
  insertCart,
  type Owner,
  ownerOf,
  removeLines,
  type StoredCart,
  setAddress,
  setQuantity,
  touchActiveCart,
  updateDetails,
} from './store.ts';
import { presentAdminCart, presentCart, presentNoCart } from './view.ts';

/** The active cart of a shopper, priced; null when there is none. Nothing is locked. */
export async function findPricedCart(
  db: TenantDatabase,
  session: Pick<ShopperSession, 'memberId' | 'hash'>,
  options?: PriceOptions,
): Promise<PricedCart<StoredCart> | null> {
  const owner = ownerOf(session);
  if (!owner) return null;
  return db.pipelined(async (one) => {
    const cart = await findActiveCart(one, owner);
    return cart && priceCart(one, cart, options);
  });
}

/** The active cart of a shopper; an empty one, of which nothing is stored, when there is none. */
export async function readCart(db: TenantDatabase, session: ShopperSession): Promise<Cart> {
  const priced = await findPricedCart(db, session);
  return priced ? presentCart(priced) : presentNoCart((await findStore(db)).defaultCurrency);
}

/** @throws not_found (404) */
export async function readAdminCart(db: TenantDatabase, id: string): Promise<AdminCart> {
  return db.pipelined(async (one) => {
    const cart = await findCart(one, id);
    if (!cart) throw notFound(`No cart has the id ${id}.`);
    return presentAdminCart(await priceCart(one, cart));
  });
}

/**
 * Adds pieces of a variant to the cart, which is made if need be: to the line that has the same properties, if any.
 * @throws invalid_request (400), variant_not_found (404), variant_not_priced, insufficient_stock, quantity_limit,
 *   cart_full (409)
 */
export async function addItem(db: TenantDatabase, session: ShopperSession, item: AddCartItem): Promise<Cart> {
  const { variantId, quantity } = item;
  const properties = normalizeProperties(item.properties);
  let lineId: string | null = null;
  const add = async (tx: TenantDatabase, { id }: HeldCart) => {
    lineId = await addToLine(tx, id, { variantId, quantity, properties });
    if (lineId === null) throw quantityLimit(`The line would hold more than ${mostPieces}.`);
  };
  const check: Check = ({ cart, lines }) => {
    if (lines.length > mostLines) throw cartFull(`A cart holds up to ${mostLines} lines.`);
    refuseIssues(
      cart,
      lines.find((line) => line.id === lineId),
    );
  };
  return writeCart(db, session, add, check).catch((error) => {
    throw isForeignKeyViolation(error, 'cart_line_items_variant')
      ? variantNotFound(`No variant for sale has the id ${variantId}.`)
      : error;
  });
}

/** @throws not_found, variant_not_found (404), variant_not_priced, insufficient_stock (409) */
export async function changeItem(
  db: TenantDatabase,
  session: ShopperSession,
  id: string,
  { quantity }: ChangeCartItem,
): Promise<Cart> {
  const change = async (tx: TenantDatabase, cartId: string) => {
    if (!(await setQuantity(tx, cartId, id, quantity))) throw unknownItem(id);
  };
  const check: Check = ({ cart, lines }) =>
    refuseIssues(
      cart,
      lines.find((line) => line.id === id),
    );
  return writeItem(db, session, id, change, check);
}

/** @throws not_found (404) */
export async function removeItem(db: TenantDatabase, session: ShopperSession, id: string): Promise<void> {
  await writeItem(db, session, id, async (tx, cartId) => {
    if ((await removeLines(tx, cartId, id)) === 0) throw unknownItem(id);
  });
}

/** Takes everything out; region, addresses and the rest stay. */
export async function emptyCart(db: TenantDatabase, session: ShopperSession): Promise<void> {
  await db.transaction(async (tx) => {
    const owner = ownerOf(session);
    const held = owner && (await touchActiveCart(tx, owner));
    if (!held) return;
    await removeLines(tx, held.id);
    await announce(tx, { ...held, lines: [] }, cartUpdated);
  });
}

/**
 * Changes details of the cart, which is made if need be. A region brings its currency.
 * @throws invalid_request (400) for an unknown region or currency, or a currency that is not the region's
 */
export async function changeCart(
  db: TenantDatabase,
  session: ShopperSession,
  { regionId, currency, locale, email, note }: ChangeCart,
): Promise<Cart> {
  return db.transaction(async (tx) => {
    // Before the cart is locked: whoever deletes a region locks it first and its carts then.
    const region = regionId ? await holdRegion(tx, regionId) : null;
    if (regionId && !region) throw invalidField('/regionId', 'must be a region of this shop');
    if (region && currency !== undefined && currency !== region.currency) {
      throw invalidField('/currency', `must be ${region.currency}, as it is in this region`);
    }
    return writeCart(tx, session, async (_, cart) => {
      if (regionId === undefined && cart.regionId && currency !== undefined && currency !== cart.currency) {
        throw invalidField('/currency', `must be ${cart.currency} while the cart is in its region`);
      }
      await updateDetails(tx, cart.id, { regionId, currency: region?.currency ?? currency, locale, email, note });
    });
  });
}

/** Sets an address of the cart, which is made if need be. */
export async function changeAddress(
  db: TenantDatabase,
  session: ShopperSession,
  type: AddressType,
  address: SetCartAddress,
): Promise<Cart> {
  return writeCart(db, session, (tx, { id }) => setAddress(tx, id, type, address));
}

const nothingSaid = { regionId: null, locale: null, email: null, note: null };

/**
 * The active cart of an owner, locked for a change; made when there is none. Of several first writes at once one makes
 * it and the others find it.
 * @param details of a cart that is made; the store's currency unless told
 */
export async function holdCart(
  tx: TenantDatabase,
  owner: Owner,
  details?: CartDetails,
): Promise<HeldCart & { isNew: boolean }> {
  let wanted = details;
  // Again when another made one after this looked, and once more should that have been completed since.
  for (let attempt = 0; attempt < 5; attempt++) {
    const held = await touchActiveCart(tx, owner);
    if (held) return { ...held, isNew: false };
    wanted ??= { ...nothingSaid, currency: (await findStore(tx)).defaultCurrency };
    const made = await insertCart(tx, owner, wanted);
    if (made) return { ...made, isNew: true };
  }
  throw new Error(`no cart could be made for ${owner.by} ${owner.key}`);
}

/** Looks at the cart as the change has made it, and throws to undo the change. */
type Check = (priced: PricedCart) => void;

/** Changes the cart of a shopper, which is made if need be, and with it the session. */
function writeCart(
  db: TenantDatabase,
  session: ShopperSession,
  work: (tx: TenantDatabase, cart: HeldCart) => Promise<void>,
  check?: Check,
): Promise<Cart> {
  return db.transaction(async (tx) => {
    const owner = ownerOf(session) ?? { by: 'session', key: session.begin() };
    const held = await holdCart(tx, owner);
    await work(tx, held);
    return finish(tx, held.id, held.isNew ? cartCreated : cartUpdated, check);
  });
}

/** Changes an item of the cart of a shopper. @throws not_found (404) when there is no cart, so no such item */
function writeItem(
  db: TenantDatabase,
  session: ShopperSession,
  id: string,
  work: (tx: TenantDatabase, cartId: string) => Promise<void>,
  check?: Check,
): Promise<Cart> {
  return db.transaction(async (tx) => {
    const owner = ownerOf(session);
    const held = owner && (await touchActiveCart(tx, owner));
    if (!held) throw unknownItem(id);
    await work(tx, held.id);
    return finish(tx, held.id, cartUpdated, check);
  });
}

/** The cart as the change has made it: priced, checked and told of. */
async function finish(tx: TenantDatabase, id: string, event: typeof cartCreated, check?: Check): Promise<Cart> {
  const cart = (await findCart(tx, id)) as StoredCart;
  // Told of in one journey with the prices; a check that fails takes it back with all the rest.
  const [priced] = await Promise.all([priceCart(tx, cart), announce(tx, cart, event)]);
  check?.(priced);
  return presentCart(priced);
}

type Fact = CartDetails & Pick<StoredCart, 'id' | 'memberId' | 'lines'>;

function announce(tx: TenantDatabase, cart: Fact, event: typeof cartCreated): Promise<void> {
  return publish(tx, event, { type: 'cart', id: cart.id }, factOf(cart));
}

/** What events tell of a cart. */
export function factOf({ memberId, regionId, currency, lines }: Fact) {
  return { memberId, regionId, currency, itemCount: lines.reduce((sum, { quantity }) => sum + quantity, 0) };
}

const refusals: Record<Issue, (detail: string) => Error> = {
  unavailable: variantNotFound,
  unpriced: variantNotPriced,
  insufficient_stock: insufficientStock,
};

function refuseIssues({ currency }: { currency: string }, line: PricedLine | undefined): void {
  const [issue] = line?.issues ?? [];
  if (line && issue) throw refusals[issue](explainIssue(line, issue, currency));
}

function unknownItem(id: string) {
  return notFound(`The cart has no item with the id ${id}.`);
}
