/**
 * Queries of the quotes of tax providers.
 */
import { quoteStore, type StoredQuote } from '@carton/cart';
import type { TenantDatabase } from '@carton/runtime';
import type { TaxAnswer } from './provider.ts';

export const taxQuotes = quoteStore<TaxAnswer>('tax_quotes');

export interface StoredQuotes {
  /** The tax provider's codes, by the code of the category. */
  codes: Readonly<Record<string, string>>;
  quotes: readonly StoredQuote<TaxAnswer>[];
}

const quotesOfSale = `
  select coalesce((select json_object_agg(code, provider_code) from tax_categories
                    where tenant_id = $1 and provider_code is not null), '{}') as codes,
         ${taxQuotes.select('$2')} as quotes`;

export async function findQuotes(db: TenantDatabase, saleKey: string): Promise<StoredQuotes> {
  const [found] = await db.query<StoredQuotes>(quotesOfSale, [saleKey]);
  return found as StoredQuotes;
}
