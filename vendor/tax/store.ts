/**
 * Queries of the tables of tax.
 */
import { soleCountryOfRegion } from '@carton/region';
import { json, rows, type TenantDatabase } from '@carton/runtime';
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
  /** The only country of this region takes the place of an unknown country. */
  regionId: string | null;
}

const ratesAt = `
  select rates.id, rates.code, rates.name, rates.rate::float8 as rate, rates.province, rates.compound, rates.override,
         categories.code as category
    from tax_rates rates
    left join tax_categories categories on categories.tenant_id = $1 and categories.id = rates.category_id
   where rates.tenant_id = $1 and rates.country = coalesce($2, ${soleCountryOfRegion('$4')})
     and (rates.province is null or rates.province = $3)
   order by rates.code, rates.id`;

/** All rates of a country and of one of its provinces, in one statement. */
export function findRatesAt(
  db: TenantDatabase,
  { country, province, regionId }: Destination,
): Promise<ApplicableRate[]> {
  return db.query<ApplicableRate>(ratesAt, [country, province, regionId]);
}

export interface StoredQuotes {
  /** The tax provider's codes, by the code of the category. */
  codes: Readonly<Record<string, string>>;
  /** Those that have not expired. `answer` is null if the provider refused the question. */
  quotes: readonly { digest: string; answer: TaxAnswer | null }[];
}

/** Discounts and the choice of shipping make several questions of one sale; few, since each is a change by a shopper. */
const maxQuotes = 20;

const quotesOfSale = `
  select coalesce((select json_object_agg(code, provider_code) from tax_categories
                    where tenant_id = $1 and provider_code is not null), '{}') as codes,
         coalesce((select json_agg(json_build_object('digest', quote.digest, 'answer', quote.answer))
                     from (select digest, answer from tax_quotes
                            where tenant_id = $1 and sale_key = $2 and expires_at > now()
                            order by expires_at desc limit ${maxQuotes}) quote), '[]') as quotes`;

export async function findQuotes(db: TenantDatabase, saleKey: string): Promise<StoredQuotes> {
  const [found] = await db.query<StoredQuotes>(quotesOfSale, [saleKey]);
  return found as StoredQuotes;
}

/** Also deletes some expired quotes, more than it adds. */
const upsertQuote = `
  with expired as (
    delete from tax_quotes
     where tenant_id = $1 and (sale_key, digest) in (
           select sale_key, digest from tax_quotes
            where tenant_id = $1 and expires_at < now() and digest <> $3
            order by expires_at limit 10 for update skip locked)
  )
  insert into tax_quotes (tenant_id, sale_key, digest, answer, expires_at)
  values ($1, $2, $3, $4, now() + $5 * interval '1 minute')
  on conflict (tenant_id, sale_key, digest) do update set answer = excluded.answer, expires_at = excluded.expires_at`;

export async function storeQuote(
  db: TenantDatabase,
  { saleKey, digest, answer }: { saleKey: string; digest: string; answer: TaxAnswer | null },
  minutes: number,
): Promise<void> {
  await db.query(upsertQuote, [saleKey, digest, answer && json(answer), minutes]);
}
