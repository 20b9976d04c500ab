/**
 * Queries of the tables of tax.
 */
import { quoteStore, type StoredQuote } from '@carton/cart';
import { countryOfSale } from '@carton/region';
import { referenceQuery, rows, type TenantDatabase } from '@carton/runtime';
import { taxCategoryCodeTaken, taxCategoryInUse, taxRateTaken } from './problems.ts';
import type { TaxAnswer } from './providers/provider.ts';
import type { ApplicableRate } from './rates.ts';
import type { TaxCategory, TaxRate } from './schemas.ts';

export const taxCategories = rows<TaxCategory>({
  table: 'tax_categories',
  noun: 'tax category',
  json: ['metadata'],
  duplicates: { tax_categories_code: taxCategoryCodeTaken },
  inUse: () => taxCategoryInUse('Tax rates have this category.'),
});

export const taxRates = rows<TaxRate>({
  table: 'tax_rates',
  noun: 'tax rate',
  json: ['metadata'],
  // The driver reads numeric columns as text.
  computed: { rate: 'tax_rates.rate::float8' },
  duplicates: { tax_rates_place: taxRateTaken },
  // Nearly all rates may be of one country. As the only choice it always has the value of the filter.
  choices: { country: [] },
});

/** Where a sale is taxed. */
export interface Destination {
  /** ISO 3166-1 alpha-2; null if unknown. */
  country: string | null;
  /** As `provinceKey` returns it. */
  province: string | null;
  /** The only country of this region, or else the store's, takes the place of an unknown country. */
  regionId: string | null;
}

const ratesAt = referenceQuery(`
  select rates.id, rates.code, rates.name, rates.rate::float8 as rate, rates.province, rates.compound, rates.override,
         categories.code as category
    from tax_rates rates
    left join tax_categories categories on categories.tenant_id = $1 and categories.id = rates.category_id
   where rates.tenant_id = $1 and rates.country = ${countryOfSale('$2', '$4')}
     and (rates.province is null or rates.province = $3)
   order by rates.code, rates.id`);

/** All rates of a country and of one of its provinces, in one statement. */
export function findRatesAt(
  db: TenantDatabase,
  { country, province, regionId }: Destination,
): Promise<readonly ApplicableRate[]> {
  return db.readReference<ApplicableRate>(ratesAt, [country, province, regionId]);
}

/** Which of these rates are compound. */
export async function findCompound(db: TenantDatabase, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const found = await db.query<{ id: string }>(
    'select id from tax_rates where tenant_id = $1 and id = any($2::uuid[]) and compound',
    [ids],
  );
  return new Set(found.map(({ id }) => id));
}

export async function hasRates(db: TenantDatabase): Promise<boolean> {
  return (await db.query('select id from tax_rates where tenant_id = $1 limit 1')).length > 0;
}

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
