/**
 * The rates of the place of a sale: of its country, of its province and of those that contain it, and of its postal code.
 */
import { countryOf, type Sale } from '@carton/cart';
import {
  breadthOf,
  matchesPostal,
  parsePostalPattern,
  postalKeys,
  postalLookups,
  postalPatternText,
} from '@carton/region';
import {
  isProvince,
  isUndecided,
  levelOf,
  needsProvince,
  placedProvince,
  provinceKey,
  provinceLine,
  storedProvinces,
  type TenantDatabase,
  vatCountryOf,
} from '@carton/runtime';
import type { ApplicableRate } from './applicable.ts';
import { findRatesAt, findRatesOfCode, type StoredRate } from './store.ts';

export interface RatesOfPlace {
  rates: readonly ApplicableRate[];
  /**
   * The country has rates of provinces, none of which holds for that of the sale, and that is no known one, or only some in
   * it have rates.
   */
  isProvinceUnknown: boolean;
  /** The country has rates of provinces, its addresses have one, and that of the sale lacks it. */
  isProvinceMissing: boolean;
}

/**
 * Goods are taxed where they are shipped; the billing address does not matter. A country that counts as another one, as Monaco
 * as France, has that one's rates unless the store has some for it.
 */
export async function readRates(db: TenantDatabase, sale: Sale): Promise<RatesOfPlace> {
  const own = await readOwnRates(db, sale);
  const country = countryOf(sale, sale.shippingAddress);
  const other = country === null ? null : vatCountryOf(country);
  if (other === country || own.rates.length > 0) return own;
  const address = sale.shippingAddress && { ...sale.shippingAddress, country: other, province: null };
  return readOwnRates(db, { ...sale, country: other, shippingAddress: address });
}

async function readOwnRates(db: TenantDatabase, sale: Sale): Promise<RatesOfPlace> {
  const { shippingAddress, regionId } = sale;
  const country = countryOf(sale, shippingAddress);
  if (country === null) {
    const { rates } = await findRatesAt(db, { country, provinces: [], regionId });
    return { rates, isProvinceUnknown: false, isProvinceMissing: false };
  }
  const province = placedProvince(country, shippingAddress ?? {});
  const provinces = province === null ? [] : storedProvinces(country, province);
  const there = await findRatesAt(db, { country, provinces, regionId: null });
  const placed = province === null ? there.rates : withLevels(there.rates, country, province);
  const postalCode = shippingAddress?.postalCode ?? null;
  const ofCode = there.hasPostalCodes && postalCode !== null ? await readRatesOfCode(db, country, postalCode) : [];
  const isDecided =
    province === null ||
    placed.some((rate) => rate.province !== null) ||
    (isProvince(country, province) && !there.rates.some((rate) => isInPart(rate, country, province)));
  return {
    rates: [...placed, ...ofCode],
    isProvinceUnknown: there.hasProvinces && !isDecided,
    isProvinceMissing: there.hasProvinces && province === null && shippingAddress !== null && needsProvince(country),
  };
}

function isInPart(rate: StoredRate, country: string, province: string): boolean {
  return rate.province !== null && isUndecided(country, province, rate.province);
}

/**
 * The rates that hold for the province, with the levels of theirs. Earlier releases have stored names that they did not
 * recognise: of two rates that are the same for it, that of the code counts.
 */
function withLevels(rates: readonly StoredRate[], country: string, province: string): ApplicableRate[] {
  const line = provinceLine(country, province);
  const placed = rates.flatMap((rate): ApplicableRate[] => {
    if (rate.province === null) return [rate];
    const level = levelOf(country, line, rate.province);
    return level < 0 ? [] : [{ ...rate, level }];
  });
  const keyOf = ({ level, code, category }: ApplicableRate) => JSON.stringify([level, code, category]);
  const isCode = (rate: ApplicableRate) =>
    rate.province === null || provinceKey(country, rate.province) === rate.province;
  const coded = new Set(placed.filter(isCode).map(keyOf));
  return placed.filter((rate) => isCode(rate) || !coded.has(keyOf(rate)));
}

async function readRatesOfCode(db: TenantDatabase, country: string, postalCode: string): Promise<ApplicableRate[]> {
  const keys = postalKeys(country, postalCode);
  return (await findRatesOfCode(db, country, postalLookups(country, postalCode))).flatMap((rate) => {
    const pattern = parsePostalPattern(country, rate.postalCode ?? '');
    const key = pattern && keys.find((each) => matchesPostal(pattern, each));
    return pattern && key
      ? [{ ...rate, postalCode: postalPatternText(pattern), breadth: breadthOf(pattern, key.length) }]
      : [];
  });
}
