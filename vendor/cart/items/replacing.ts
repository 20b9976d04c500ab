/**
 * Replacing all items of a cart in one request.
 */
import { findVariants } from '@carton/product';
import {
  type FieldError,
  invalidRequest,
  isForeignKeyViolation,
  Problem,
  type ProblemDefinition,
} from '@carton/runtime';
import { type CartChange, type Check, writeCart, writeExistingCart } from '../changes/service.ts';
import { explainRefusal, noVariantForSale } from '../pricing/issues.ts';
import type { LineProperties } from '../pricing/sale.ts';
import type { Issue } from '../pricing/service.ts';
import { variantNotFound } from '../problems.ts';
import type { CartShopper } from '../quotes/asker.ts';
import type { AddCartItem, Cart, ReplaceCartItems } from '../schemas.ts';
import { presentQuoted } from '../service.ts';
import { findPriceTerms } from '../terms-store.ts';
import { presentEmptyCart } from '../view.ts';
import { releaseHeld } from './clean-ups.ts';
import { keyOfProperties, normalizeProperties } from './properties.ts';
import { problemOf } from './service.ts';
import { replaceLines } from './store.ts';

/** Why an item of the body is rejected. */
interface Fault {
  problem: ProblemDefinition;
  /** Relative to the body. */
  pointer: string;
  detail: string;
}

const fieldOfIssue: Record<Issue, keyof AddCartItem> = {
  unavailable: 'variantId',
  unpriced: 'variantId',
  insufficient_stock: 'quantity',
  quantity_limit: 'quantity',
};

/**
 * Replaces all items of the cart, or none; creates the cart if necessary. Items with the same variant and properties as
 * before keep their id, so that repeated requests lead to the same cart.
 * @throws invalid_request (400) for duplicate items, variant_not_found (404), variant_not_priced, insufficient_stock,
 *   quantity_limit (409): the problem of the first rejected item, with an error for each
 */
export async function replaceItems({ db, session, client }: CartShopper, body: ReplaceCartItems): Promise<Cart> {
  const items = normalizeItems(body.items);
  const keys = items.map(keyOf);
  const faults: (Fault | undefined)[] = [];
  const replace: CartChange = async (tx, { id }) => {
    const known = await findVariants(
      tx,
      items.map(({ variantId }) => variantId),
    );
    // The known ones are stored, and rolled back: their faults are reported together with these.
    for (const [index, { variantId }] of items.entries()) {
      if (!known.has(variantId)) faults[index] = unknownVariant(index, variantId);
    }
    await replaceLines(
      tx,
      id,
      items.filter(({ variantId }) => known.has(variantId)),
    );
    if (items.length === 0) await releaseHeld(tx, id);
  };
  const check: Check = ({ cart, lines }) => {
    for (const line of lines) {
      const [issue] = line.issues;
      const index = keys.indexOf(keyOf(line));
      if (issue) faults[index] = faultOf(index, issue, explainRefusal(line, issue, cart.currency));
    }
    rejectFaults(faults);
  };
  if (items.length === 0) {
    const emptied = await writeExistingCart(db, session, replace);
    return emptied
      ? presentQuoted(db, emptied, { session, client })
      : presentEmptyCart(db, await findPriceTerms(db, null));
  }
  const priced = await writeCart(db, session, replace, check).catch((error) => {
    // Deleted in between.
    throw isForeignKeyViolation(error, 'cart_line_items_variant') ? variantNotFound() : error;
  });
  return presentQuoted(db, priced, { session, client });
}

/** Distinguishes the lines of a cart. The database returns properties in another order. */
function keyOf({ variantId, properties }: { variantId: string; properties: LineProperties }): string {
  return `${variantId} ${keyOfProperties(normalizeProperties(properties))}`;
}

/** @throws invalid_request (400) with an error for each item that is a duplicate or has invalid properties */
function normalizeItems(items: readonly AddCartItem[]) {
  const errors: FieldError[] = [];
  const seen = new Map<string, number>();
  const normalized = items.map(({ variantId, quantity, properties }, index) => {
    const item = { variantId: variantId.toLowerCase(), quantity, properties: {} as LineProperties };
    try {
      item.properties = normalizeProperties(properties, `/items/${index}/properties`);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      errors.push(...(error.errors ?? []));
      return item;
    }
    const first = seen.get(keyOf(item));
    if (first === undefined) seen.set(keyOf(item), index);
    else errors.push({ in: 'body', pointer: `/items/${index}`, detail: `repeats /items/${first}` });
    return item;
  });
  const [error] = errors;
  if (error) throw invalidRequest(`body ${error.pointer}: ${error.detail}`, { errors });
  return normalized;
}

function unknownVariant(index: number, variantId: string): Fault {
  return { problem: variantNotFound, pointer: `/items/${index}/variantId`, detail: noVariantForSale(variantId) };
}

function faultOf(index: number, issue: Issue, detail: string): Fault {
  return { problem: problemOf(issue), pointer: `/items/${index}/${fieldOfIssue[issue]}`, detail };
}

/** @param faults by index of the item */
function rejectFaults(faults: readonly (Fault | undefined)[]): void {
  const found = faults.filter((fault) => fault !== undefined);
  const [first] = found;
  if (!first) return;
  const errors = found.map(({ pointer, detail }): FieldError => ({ in: 'body', pointer, detail }));
  throw first.problem(first.detail, { errors });
}
