/**
 * Rules of tax rates.
 */
import { checkedPattern, parsePostalPattern, postalPatternText } from '@carton/region';
import {
  type IntegrationPage,
  invalidField,
  knownProvinceKey,
  provinceKey,
  publishedWrites,
  type TenantDatabase,
} from '@carton/runtime';
import { taxCategories } from '../categories/store.ts';
import { taxRateEvents } from '../events.ts';
import type { ChangeTaxRate, CreateTaxRate, TaxRate, TaxRateQuery } from './schemas.ts';
import { insertRate, taxRates, updateRate } from './store.ts';

export function listRates(db: TenantDatabase, query: TaxRateQuery): Promise<IntegrationPage<TaxRate>> {
  const { province, postalCode, country } = query;
  return taxRates.page(db, {
    ...query,
    ...(province !== undefined && { province: provinceKey(country, province) }),
    ...(postalCode !== undefined && { postalCode: patternOf(country, postalCode) }),
  });
}

const { create, change, remove } = publishedWrites(taxRates, taxRateEvents, 'tax_rate');

/** @throws invalid_request (400), tax_rate_taken (409), external_id_taken (409) */
export function createRate(db: TenantDatabase, body: CreateTaxRate): Promise<TaxRate> {
  return create(db, async (tx) => insertRate(tx, await checked(tx, body)));
}

/** Existing orders keep their taxes. @throws not_found (404), invalid_request (400), tax_rate_taken (409) */
export function changeRate(db: TenantDatabase, id: string, patch: ChangeTaxRate): Promise<TaxRate> {
  return change(db, id, async (tx, before) => {
    const { province, postalCode, ...changed } = patch;
    const place = { ...(province !== undefined && { province }), ...(postalCode !== undefined && { postalCode }) };
    const complete = await checked(
      tx,
      { ...before, ...changed, ...place },
      (patch.country ?? before.country) === before.country ? before : null,
    );
    // A place that is not changed stays as an earlier release has stored it.
    const isMoved = (['country', 'province', 'postalCode'] as const).some((field) => {
      return patch[field] !== undefined && patch[field] !== before[field];
    });
    const { province: at, postalCode: codes } = isMoved ? complete : before;
    const stored = { province: at, postalCode: codes };
    return updateRate(tx, before, { ...changed, ...stored });
  });
}

/** @throws not_found (404) */
export function deleteRate(db: TenantDatabase, id: string): Promise<void> {
  return remove(db, id);
}

/**
 * The rate with its province and its postal code as they are stored.
 * @param stored whose province and pattern are stored already, and not checked again
 * @throws invalid_request (400)
 */
async function checked<R extends CreateTaxRate>(
  tx: TenantDatabase,
  values: R,
  stored: Pick<TaxRate, 'province' | 'postalCode'> | null = null,
): Promise<R> {
  const { rate, country, categoryId, override } = values;
  const province =
    values.province === null || values.province === stored?.province
      ? values.province && provinceKey(country, values.province)
      : knownProvinceKey(country, values.province, '/province');
  if (Number(rate.toFixed(5)) !== rate) throw invalidField('/rate', 'has more than five decimals');
  const postalCode =
    values.postalCode === null || values.postalCode === stored?.postalCode
      ? values.postalCode
      : checkedPattern(country, values.postalCode, '/postalCode');
  if (province !== null && postalCode !== null) throw invalidField('/postalCode', 'is not together with a province');
  if (override && province === null && postalCode === null) {
    throw invalidField('/override', 'is only for a rate of a province or of postal codes');
  }
  // The lock keeps the category until the rate refers to it.
  if (categoryId !== null && !(await taxCategories.lockShared(tx, categoryId))) {
    throw invalidField('/categoryId', 'is not a tax category of this store');
  }
  return { ...values, province, postalCode };
}

/** The stored form of a pattern. Without a country, one that may be British is read as such. @throws invalid_request (400) */
function patternOf(country = 'GB', postalCode: string): string {
  const pattern = parsePostalPattern(country, postalCode);
  if (!pattern) throw invalidField('/postalCode', 'must be a code, a prefix (BT*) or a range (10000-19999)');
  return postalPatternText(pattern);
}
