/**
 * Order numbers as people write them: in any case, in full width, with `#` before them.
 */
import { maxWordLength, type TenantDatabase } from '@carton/runtime';
import { type OrderRow, orders } from '../store.ts';

/** Without spaces, and in the usual width. */
function narrow(number: string): string {
  return number.normalize('NFKC').trim();
}

/**
 * The numbers of orders that are the same but for case; the one that is written exactly so comes first. Read by the index
 * of the words of orders, where each number is in small letters.
 */
async function numbersLike(db: TenantDatabase, number: string): Promise<string[]> {
  const rows = await db.query<{ number: string }>(
    `select number from orders
      where tenant_id = $1 and lower(number) = lower($2)
        and id = any(array(select order_id from order_words
                            where tenant_id = $1 and word_from = left(lower($2), ${maxWordLength}) limit 100))
      order by number <> $2, created_at desc, id limit 10`,
    [number],
  );
  return rows.map((row) => row.number);
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
