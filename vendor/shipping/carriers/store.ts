/**
 * Queries of the prices of carriers.
 */
import { quoteStore, type StoredQuote } from '@carton/cart';
import type { TenantDatabase } from '@carton/runtime';
import type { CarrierAnswer } from './carrier.ts';

export const carrierQuotes = quoteStore<CarrierAnswer>('shipping_quotes');
const quotesOfSale = `select ${carrierQuotes.select('$2')} as quotes`;

/** The prices for a sale that have not expired. @param saleKey see `saleKeyOf` of `@carton/cart` */
export async function findQuotes(db: TenantDatabase, saleKey: string): Promise<readonly StoredQuote<CarrierAnswer>[]> {
  const [found] = await db.query<{ quotes: StoredQuote<CarrierAnswer>[] }>(quotesOfSale, [saleKey]);
  return found?.quotes ?? [];
}
