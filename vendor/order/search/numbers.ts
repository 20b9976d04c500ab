/**
 * Order numbers as people write them: in any case, in full width, with `#` before them.
 */
import type { TenantDatabase } from '@carton/runtime';
import { type OrderRow, orders } from '../store.ts';
import { numbersLike } from './words-store.ts';

/** Without spaces, and in the usual width. */
function narrow(number: string): string {
  return number.normalize('NFKC').trim();
}

/** The number of an order as it is stored, from how it was written (`#1001` for 1001); unchanged if there is no such order. */
export async function storedNumber(db: TenantDatabase, written: string): Promise<string> {
  const number = narrow(written);
  const [stored] = await numbersLike(db, number);
  // People write `#1001` for 1001.
  const [bare] = stored === undefined && number.startsWith('#') ? await numbersLike(db, number.slice(1).trim()) : [];
  return stored ?? bare ?? written;
}

/** The orders with a number, of which there are several only if they differ in case. */
export async function ordersByNumber(db: TenantDatabase, written: string): Promise<OrderRow[]> {
  const number = narrow(written);
  const bare = number.replace(/^#/, '');
  const numbers = new Set([
    written.trim(),
    number,
    bare,
    ...(await numbersLike(db, number)),
    ...(await numbersLike(db, bare)),
  ]);
  const found: OrderRow[] = [];
  for (const each of numbers) {
    const row = await orders.findBy(db, { number: each });
    if (row) found.push(row);
  }
  return found;
}
