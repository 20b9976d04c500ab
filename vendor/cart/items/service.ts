/**
 * Adds, changes and removes items of the shopper's cart.
 */
import { insufficientStock } from '@carton/inventory';
import {
  isForeignKeyViolation,
  notFound,
  type ProblemDefinition,
  type ShopperSession,
  type TenantDatabase,
} from '@carton/runtime';
import {
  type CartChange,
  type Check,
  findLocked,
  publishChange,
  writeCart,
  writeExistingCart,
} from '../changes/service.ts';
import { cartUpdated } from '../events.ts';
import { ownerOf } from '../owner-store.ts';
import type { PricedCart } from '../pricing/cart.ts';
import { explainRefusal, noVariantForSale } from '../pricing/issues.ts';
import type { Issue, PricedLine } from '../pricing/service.ts';
import { cartFull, quantityLimit, variantNotFound, variantNotPriced } from '../problems.ts';
import type { CartShopper } from '../quotes/asker.ts';
import { type AddCartItem, type Cart, type ChangeCartItem, maxCartLines, maxLineQuantity } from '../schemas.ts';
import { presentQuoted } from '../service.ts';
import { type StoredCart, touchActiveCart } from '../store.ts';
import { releaseHeld } from './clean-ups.ts';
import { normalizeProperties } from './properties.ts';
import { addToLine, removeLines, setQuantity } from './store.ts';

/**
 * Adds a quantity of a variant to the line with the same properties; creates cart and line if necessary.
 * @throws invalid_request (400), variant_not_found (404), variant_not_priced, insufficient_stock, quantity_limit,
 *   cart_full (409)
 */
export async function addItem({ db, session, client }: CartShopper, item: AddCartItem): Promise<Cart> {
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
  const priced = await writeCart(db, session, { byId: add }, check).catch((error) => {
    throw isForeignKeyViolation(error, 'cart_line_items_variant')
      ? variantNotFound(noVariantForSale(variantId))
      : error;
  });
  return presentQuoted(db, priced, { session, client });
}

/** @throws not_found, variant_not_found (404), variant_not_priced, insufficient_stock (409) */
export async function changeItem(
  { db, session, client }: CartShopper,
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
  const priced = await writeItem(db, session, id, (tx, cart) => ({ sent: set(tx, cart.id) }), check);
  return presentQuoted(db, priced, { session, client });
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
export async function removeAllItems(db: TenantDatabase, session: ShopperSession): Promise<void> {
  await db.transaction(async (tx) => {
    const owner = ownerOf(session);
    const locked = owner && (await touchActiveCart(tx, owner));
    if (!locked) return;
    await removeLines(tx, locked.id);
    await releaseHeld(tx, locked.id);
    await publishChange(tx, await findLocked(tx, locked), cartUpdated);
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
  if (line && issue) throw problemOfIssue[issue](explainRefusal(line, issue, currency));
}

function itemNotFound(id: string) {
  return notFound(`There is no item with the id ${id} in the cart.`);
}
