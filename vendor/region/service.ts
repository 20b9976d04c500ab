/**
 * Rules of regions: a country belongs to at most one region, and the currency cannot change while there are prices in
 * it.
 */
import { addCurrency, changeStore, findStore, type StoreCheck, type StoreTask } from '@carton/core';
import {
  countryName,
  displayNames,
  extensionPoint,
  invalidField,
  lockFor,
  preferredLocales,
  provincesOf,
  publishedWrites,
  type TenantDatabase,
} from '@carton/runtime';
import { regionEvents } from './events.ts';
import { countryTaken, regionPriced } from './problems.ts';
import type { ChangeRegion, Country, CountryQuery, CreateRegion, RegionRow } from './schemas.ts';
import { holdRegion, listCountries, regions, removeCountries, replaceCountries } from './store.ts';

/**
 * True while amounts are stored in the region's currency, which then cannot change. Called in the transaction of the
 * change, with the region's row locked.
 */
export type RegionLock = (db: TenantDatabase, regionId: string) => Promise<boolean>;
export const regionLocks = extensionPoint<RegionLock>('region.locks');

/** Removes references to a region before it is deleted, in the same transaction, with its row locked. */
export type RegionRemoval = (db: TenantDatabase, regionId: string) => Promise<void>;
export const regionRemovals = extensionPoint<RegionRemoval>('region.removals');

/** Whether sales of the store depend on the country of their address, as they do once there are tax rates, say. */
export type CountryUse = (db: TenantDatabase) => Promise<boolean>;
export const countryUses = extensionPoint<CountryUse>('region.country-uses');

/** Whether a country that is not recognised may change what a sale costs, or whether it is possible. */
export async function dependsOnCountries(db: TenantDatabase): Promise<boolean> {
  for (const isUsed of countryUses.of(db)) if (await isUsed(db)) return true;
  return false;
}

/** A sale is taxed and shipped by the store's country where nothing else names one. */
export const countryMissing: StoreTask = {
  code: 'country_missing',
  detail:
    'Set the country of the store: sales without a country, also in their region, are not taxed, and are shipped only by options that are offered everywhere.',
  isOpen: (db, { country }) => country === null && dependsOnCountries(db),
};

/**
 * The countries of all regions, or one of them, by name.
 * @param acceptLanguage the header of the request; `locale` takes precedence over it
 */
export async function listShippedCountries(
  db: TenantDatabase,
  { country: only, locale }: CountryQuery,
  acceptLanguage = '',
): Promise<Country[]> {
  const rows = await listCountries(db);
  const preferred = (locale === undefined ? preferredLocales(acceptLanguage) : [locale]).find(hasNames);
  const language = preferred ?? [(await findStore(db)).defaultLocale].find(hasNames) ?? 'en';
  return rows
    .filter(({ country }) => only === undefined || country === only)
    .map(({ country, regionId }) => ({
      code: country,
      name: nameIn(language, country),
      regionId,
      provinces: [...provincesOf(country)],
    }))
    .sort((one, other) => one.name.localeCompare(other.name, language));
}

const nameIn = (language: string, country: string) =>
  displayNames(language, { type: 'region', fallback: 'none' }).of(country) ?? countryName(country);

/** Whether there are names of countries in a language. */
const hasNames = (locale: string) => Intl.DisplayNames.supportedLocalesOf([locale]).length > 0;

const { create, change, remove } = publishedWrites(regions, regionEvents, 'region');

/** @throws country_taken (409), external_id_taken (409) */
export function createRegion(db: TenantDatabase, { countries, ...fields }: CreateRegion): Promise<RegionRow> {
  return create(db, async (tx) => {
    await addCurrency(tx, fields.currency);
    const { id } = await regions.insert(tx, fields);
    await setCountries(tx, id, countries);
    return regions.require(tx, id);
  });
}

/** @throws not_found (404), country_taken (409), external_id_taken (409), region_priced (409) */
export function changeRegion(
  db: TenantDatabase,
  id: string,
  { countries, ...fields }: ChangeRegion,
): Promise<RegionRow> {
  return change(db, id, async (tx, before) => {
    if (fields.currency && fields.currency !== before.currency) {
      await refusePriced(tx, before);
      await addCurrency(tx, fields.currency);
    }
    await regions.change(tx, id, fields);
    if (countries) await setCountries(tx, id, countries);
    return regions.require(tx, id);
  });
}

/** @throws not_found (404), region_in_use (409) while prices refer to it */
export function deleteRegion(db: TenantDatabase, id: string): Promise<void> {
  return remove(db, id, async (tx) => {
    for (const removeReferences of regionRemovals.of(tx)) await removeReferences(tx, id);
    if ((await findStore(tx)).defaultRegionId === id) await changeStore(tx, { defaultRegionId: null });
    await removeCountries(tx, id);
  });
}

/** The default region of the store is one of its own. Regions are locked before the store, as when one is changed. */
export const checkDefaultRegion: StoreCheck = async (tx, { defaultRegionId }) => {
  if (defaultRegionId && !(await holdRegion(tx, defaultRegionId))) {
    throw invalidField('/defaultRegionId', 'must be the id of a region of this store');
  }
};

async function refusePriced(db: TenantDatabase, { id, currency }: RegionRow): Promise<void> {
  for (const isLocked of regionLocks.of(db)) {
    if (await isLocked(db, id)) throw regionPriced(`Remove the prices in ${currency} first.`);
  }
}

/** Sets the countries of a region. @throws country_taken (409) naming those that other regions have */
async function setCountries(db: TenantDatabase, regionId: string, countries: readonly string[]): Promise<void> {
  // Serializes writers: two regions that swap countries would deadlock.
  await lockFor(db, 'region.countries');
  const rows = await listCountries(db);
  const taken = rows.filter((row) => row.regionId !== regionId && countries.includes(row.country));
  if (taken.length > 0) throw countryTaken(`Other regions have: ${taken.map(({ country }) => country).join(', ')}.`);
  const current = rows.filter((row) => row.regionId === regionId);
  await replaceCountries(db, regionId, current, countries);
}
