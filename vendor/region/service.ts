/**
 * Rules of regions: a country is sold to by one region at most, and a currency stays once there are prices in it.
 */
import { refuseUnknownCurrency } from '@carton/core';
import {
  countryName,
  defineProblem,
  extensionPoint,
  type IntegrationPage,
  type IntegrationPlace,
  invalidField,
  isCountry,
  isForeignKeyViolation,
  json,
  newId,
  notFound,
  paginateIntegration,
  publish,
  type TenantDatabase,
} from '@carton/runtime';
import { regionUpdated } from './events.ts';
import type { ChangeRegion, Country, CreateRegion } from './schemas.ts';
import { findRegion, findRegions, listCountries, lockCountries, lockRegion, type RegionRow } from './store.ts';

/**
 * True while amounts of money are kept in the region's currency, which then cannot change.
 * Asked in the transaction of the change, with the region's row locked.
 */
export type RegionLock = (db: TenantDatabase, regionId: string) => Promise<boolean>;
export const regionLocks = extensionPoint<RegionLock>('region.locks');

/** Takes a region out of what may outlive it, in the transaction that removes it, with its row locked. */
export type RegionRemoval = (db: TenantDatabase, regionId: string) => Promise<void>;
export const regionRemovals = extensionPoint<RegionRemoval>('region.removals');

export const countryTaken = defineProblem({
  code: 'country_taken',
  status: 409,
  title: 'Another region sells to this country',
});
export const regionPriced = defineProblem({
  code: 'region_priced',
  status: 409,
  title: 'The region has prices in its currency',
});
export const regionInUse = defineProblem({ code: 'region_in_use', status: 409, title: 'The region is in use' });

/** One page of regions, newest first. */
export async function pageOfRegions(db: TenantDatabase, place: IntegrationPlace): Promise<IntegrationPage<RegionRow>> {
  const page = await paginateIntegration(db, db.table<RegionRow>('regions'), 'regions', place);
  const ids = page.items.map(({ id }) => id);
  const regions = await findRegions(db, ids);
  return { ...page, items: ids.flatMap((id) => regions.get(id) ?? []) };
}

/** @throws not_found (404) */
export async function readRegion(db: TenantDatabase, id: string): Promise<RegionRow> {
  const region = await findRegion(db, id);
  if (!region) throw notFound(`No region has the id ${id}.`);
  return region;
}

/** The countries that are sold to, by name. */
export async function listShippedCountries(db: TenantDatabase): Promise<Country[]> {
  const rows = await listCountries(db);
  return rows
    .map(({ country, regionId }) => ({ code: country, name: countryName(country), regionId }))
    .sort((one, other) => one.name.localeCompare(other.name, 'en'));
}

/** @throws invalid_request (400), country_taken (409) */
export async function createRegion(db: TenantDatabase, body: CreateRegion): Promise<RegionRow> {
  const { name, currency, taxInclusive = false, countries = [], externalId = null, metadata = {} } = body;
  refuseUnknown({ currency, countries });
  const id = newId();
  return db.transaction(async (transaction) => {
    const fields = { name, currency, taxInclusive, externalId, metadata: json(metadata) };
    await transaction.insert('regions', { id, ...fields });
    await setCountries(transaction, id, countries);
    return announced(transaction, id);
  });
}

/** @throws not_found (404), invalid_request (400), country_taken (409), region_priced (409) */
export async function changeRegion(db: TenantDatabase, id: string, body: ChangeRegion): Promise<RegionRow> {
  refuseUnknown(body);
  const { countries, metadata, ...fields } = body;
  return db.transaction(async (transaction) => {
    if (!(await lockRegion(transaction, id))) throw notFound(`No region has the id ${id}.`);
    const before = await readRegion(transaction, id);
    if (fields.currency && fields.currency !== before.currency) await refusePriced(transaction, before);
    const patch = { ...fields, metadata: metadata && json(metadata), updatedAt: new Date() };
    await transaction.update('regions', { id }, patch);
    if (countries) await setCountries(transaction, id, countries);
    return announced(transaction, id);
  });
}

/** @throws not_found (404), region_in_use (409) while prices name it */
export async function deleteRegion(db: TenantDatabase, id: string): Promise<void> {
  const work = db.transaction(async (transaction) => {
    if (!(await lockRegion(transaction, id))) throw notFound(`No region has the id ${id}.`);
    const { name, currency, taxInclusive, countries } = await readRegion(transaction, id);
    for (const letGo of regionRemovals.of(transaction)) await letGo(transaction, id);
    await transaction.remove('region_countries', { regionId: id });
    await transaction.remove('regions', { id });
    const fact = { name, currency, taxInclusive, countries, deleted: true };
    await publish(transaction, regionUpdated, { type: 'region', id }, fact);
  });
  return work.catch((error) => {
    throw isForeignKeyViolation(error) ? regionInUse('Prices name this region.') : error;
  });
}

async function refusePriced(db: TenantDatabase, { id, currency }: RegionRow): Promise<void> {
  for (const isLocked of regionLocks.of(db)) {
    if (await isLocked(db, id)) throw regionPriced(`There are prices in ${currency}: remove them first.`);
  }
}

function refuseUnknown({ currency, countries = [] }: { currency?: string; countries?: readonly string[] }): void {
  if (currency !== undefined) refuseUnknownCurrency(currency, '/currency');
  const unknown = countries.findIndex((country) => !isCountry(country));
  if (unknown >= 0) throw invalidField(`/countries/${unknown}`, 'must be a country of ISO 3166-1 alpha-2');
}

/** Makes these the countries of a region. @throws country_taken (409) naming those that others sell to */
async function setCountries(db: TenantDatabase, regionId: string, wanted: readonly string[]): Promise<void> {
  await lockCountries(db);
  const rows = await listCountries(db);
  const taken = rows.filter((row) => row.regionId !== regionId && wanted.includes(row.country));
  if (taken.length > 0) throw countryTaken(`Other regions sell to: ${taken.map(({ country }) => country).join(', ')}.`);
  const own = rows.filter((row) => row.regionId === regionId).map(({ country }) => country);
  const gone = own.filter((country) => !wanted.includes(country));
  if (gone.length > 0) await db.remove('region_countries', { regionId, country: gone });
  const added = wanted.filter((country) => !own.includes(country));
  await db.insertMany(
    'region_countries',
    added.map((country) => ({ country, regionId })),
  );
}

/** Tells of a region as it is now, and answers it. */
async function announced(db: TenantDatabase, id: string): Promise<RegionRow> {
  const region = await readRegion(db, id);
  const { name, currency, taxInclusive, countries } = region;
  await publish(db, regionUpdated, { type: 'region', id }, { name, currency, taxInclusive, countries, deleted: false });
  return region;
}
