/**
 * Queries of tax rates.
 */
import { countryOfSale, isWithinBounds, parsePostalPattern, postalBounds, storedPatterns } from '@carton/region';
import { type Rows, referenceQuery, rows, type TenantDatabase } from '@carton/runtime';
import { taxRateTaken } from '../problems.ts';
import type { ApplicableRate } from './applicable.ts';
import type { TaxRate } from './schemas.ts';

/** What the column `province` begins with for a rate of postal codes, which a release without these applies nowhere. */
const mark = 'postal code ';
/**
 * That release writes it in capitals when it changes such a rate, as the names of provinces are stored: one that begins so
 * has no postal codes.
 */
const isOfCodes = (table: string) => `
  (left(${table}.province, ${mark.length}) = '${mark}' or left(${table}.province, ${mark.length}) = '${mark.toUpperCase()}'
   and exists (select from tax_rate_postal_codes bounds
                where bounds.tenant_id = ${table}.tenant_id and bounds.rate_id = ${table}.id))`;
const placesOf = (pattern: string) =>
  storedPatterns(pattern).flatMap((each) => [`${mark}${each}`, `${mark}${each}`.toUpperCase()]);
const postalCodeOf = (table: string) =>
  `case when ${isOfCodes(table)} then substr(${table}.province, ${mark.length + 1}) end`;

const storedRates = rows<TaxRate>({
  table: 'tax_rates',
  noun: 'tax rate',
  json: ['metadata'],
  computed: {
    // The driver reads numeric columns as text.
    rate: 'tax_rates.rate::float8',
    postalCode: postalCodeOf('tax_rates'),
  },
  // Plain values, so that an index serves the filter.
  filters: {
    postalCode: (listed, pattern: string) =>
      listed.whereIn(
        'tax_rates.province',
        storedPatterns(pattern).map((each) => `${mark}${each}`),
      ),
  },
  duplicates: { tax_rates_place: taxRateTaken },
  // Nearly all rates may be of one country. As the only choice it always has the value of the filter.
  choices: { country: [] },
});

/** A rate as it is stored, without the mark. */
function presented<R extends TaxRate | null>(rate: R): R {
  return typeof rate?.postalCode === 'string' ? { ...rate, province: null } : rate;
}

export const taxRates: Rows<TaxRate> = {
  ...storedRates,
  find: async (db, id) => presented(await storedRates.find(db, id)),
  require: async (db, id) => presented(await storedRates.require(db, id)),
  lock: async (db, id) => presented(await storedRates.lock(db, id)),
  async page(db, query, fixed) {
    const { items, ...page } = await storedRates.page(db, query, fixed);
    return { ...page, items: items.map(presented) };
  },
};

/** The columns of a rate, from its values. */
function columnsOf({ postalCode, ...values }: Partial<TaxRate>): Partial<TaxRate> {
  return typeof postalCode === 'string' ? { ...values, province: `${mark}${postalCode}` } : values;
}

/** @throws tax_rate_taken (409), external_id_taken (409) */
export async function insertRate(tx: TenantDatabase, values: Partial<TaxRate>): Promise<TaxRate> {
  const rate = presented(await storedRates.insert(tx, columnsOf(values)));
  await putBounds(tx, rate);
  return rate;
}

/**
 * Changes a rate that is locked.
 * @param patch with the province and the postal code
 * @throws not_found (404), tax_rate_taken (409), external_id_taken (409)
 */
export async function updateRate(tx: TenantDatabase, before: TaxRate, patch: Partial<TaxRate>): Promise<TaxRate> {
  const rate = presented(await storedRates.change(tx, before.id, columnsOf(patch)));
  if (before.postalCode !== null) await tx.remove('tax_rate_postal_codes', { rateId: rate.id });
  await putBounds(tx, rate);
  return rate;
}

async function putBounds(tx: TenantDatabase, { id: rateId, country, postalCode }: TaxRate): Promise<void> {
  const pattern = postalCode === null ? null : parsePostalPattern(country, postalCode);
  if (postalCode === null || !pattern) return;
  await rejectSamePlace(tx, rateId, postalCode);
  const { from: postalFrom, to: postalTo } = postalBounds(pattern);
  await tx.insertMany('tax_rate_postal_codes', [{ rateId, country, postalFrom, postalTo }]);
}

/** The unique constraint does not know the capitals of an earlier release. @throws tax_rate_taken (409) */
async function rejectSamePlace(tx: TenantDatabase, id: string, postalCode: string): Promise<void> {
  const same = await tx.query(
    `select from tax_rates own
       join tax_rates other
         on other.tenant_id = $1 and other.country = own.country and other.code = own.code and other.id <> own.id
            and other.category_id is not distinct from own.category_id and other.province = any($3)
            and ${isOfCodes('other')}
      where own.tenant_id = $1 and own.id = $2`,
    [id, placesOf(postalCode)],
  );
  if (same.length > 0) throw taxRateTaken();
}

/** Where a sale is taxed. */
interface Destination {
  /** ISO 3166-1 alpha-2; null if unknown. */
  country: string | null;
  /** Under which rates for the province may be stored (`storedProvinces`). */
  provinces: readonly string[];
  /** The only country of this region, or else the store's, takes the place of an unknown country. */
  regionId: string | null;
}

/** A rate as it is stored, for a place whose size is not known yet. */
export type StoredRate = Omit<ApplicableRate, 'level' | 'breadth'>;

interface RatesThere {
  rates: readonly StoredRate[];
  /** Whether the country has rates of provinces, and of postal codes. */
  hasProvinces: boolean;
  hasPostalCodes: boolean;
}

const rateOf = (province: string) => `
  json_build_object('id', rates.id, 'code', rates.code, 'name', rates.name, 'rate', rates.rate::float8,
                    'province', ${province}, 'postalCode', ${postalCodeOf('rates')}, 'compound', rates.compound,
                    'override', rates.override, 'category', category.code)`;
const withCategory = `
  left join tax_categories category on category.tenant_id = $1 and category.id = rates.category_id`;

// `offset 0` lets an index find the rates: under row-level security none is used for a computed value.
const ratesAt = referenceQuery(`
  select (select coalesce(json_agg(${rateOf('rates.province')} order by rates.code, rates.id), '[]')
            from tax_rates rates ${withCategory}
           where rates.tenant_id = $1 and rates.country = place.code
             and (rates.province is null or rates.province = any($3::text[]) and not ${isOfCodes('rates')})) as rates,
         exists (select from tax_rates others
                  where others.tenant_id = $1 and others.country = place.code
                    and others.province is not null and not ${isOfCodes('others')}) as has_provinces,
         exists (select from tax_rate_postal_codes codes
                  where codes.tenant_id = $1 and codes.country = place.code) as has_postal_codes
    from (select ${countryOfSale('$2', '$4')} as code offset 0) place`);

/** All rates of a country and of a province with those that contain it, in one statement. */
export async function findRatesAt(
  db: TenantDatabase,
  { country, provinces, regionId }: Destination,
): Promise<RatesThere> {
  const [there] = await db.readReference<RatesThere>(ratesAt, [country, provinces, regionId]);
  return there as RatesThere;
}

const ratesOfCode = referenceQuery(`
  select ${rateOf('null')} as rate
    from tax_rate_postal_codes codes
    join tax_rates rates on rates.tenant_id = $1 and rates.id = codes.rate_id ${withCategory}
   where codes.tenant_id = $1 and codes.country = $2
     and exists (select from unnest($3::text[]) as written (key) where ${isWithinBounds('codes', 'written.key')})
   order by rates.code, rates.id`);

/** The rates of patterns that may match a postal code. @param keys as `postalLookups` returns them */
export async function findRatesOfCode(db: TenantDatabase, country: string, keys: string[]): Promise<StoredRate[]> {
  if (keys.length === 0) return [];
  const found = await db.readReference<{ rate: StoredRate }>(ratesOfCode, [country, keys]);
  return found.map(({ rate }) => rate);
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
