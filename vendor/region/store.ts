/**
 * Queries of the tables of region.
 */
import { replaceRows, rows, type TenantDatabase } from '@carton/runtime';
import { regionInUse } from './problems.ts';
import type { RegionRow } from './schemas.ts';

export const regions = rows<RegionRow>({
  table: 'regions',
  noun: 'region',
  reference: true,
  json: ['metadata'],
  computed: {
    countries: `array(select country from region_countries countries
                       where countries.tenant_id = regions.tenant_id and countries.region_id = regions.id order by country)`,
  },
  filters: {
    country: (listed, code: string) =>
      listed.whereRaw(
        `regions.id in (select region_id from region_countries
                         where region_countries.tenant_id = regions.tenant_id and country = ?)`,
        [code],
      ),
  },
  inUse: () => regionInUse('Prices refer to this region.'),
});

export const { find: findRegion, lockShared: holdRegion } = regions;

/** The region of a country (ISO 3166-1 alpha-2); null if there is none. */
export async function findRegionOfCountry(db: TenantDatabase, country: string): Promise<RegionRow | null> {
  const [row] = await db.query<{ regionId: string }>(
    'select region_id from region_countries where tenant_id = $1 and country = $2',
    [country],
  );
  return row ? regions.find(db, row.regionId) : null;
}

export function listCountries(db: TenantDatabase): Promise<{ country: string; regionId: string }[]> {
  return db.query('select country, region_id from region_countries where tenant_id = $1');
}

/** Changes the countries of a region to others. @param current as they are, read in the same transaction */
export async function replaceCountries(
  tx: TenantDatabase,
  regionId: string,
  current: readonly { country: string }[],
  countries: readonly string[],
): Promise<void> {
  const requested = countries.map((country) => ({ country }));
  await replaceRows(tx, 'region_countries', { regionId }, 'country', current, requested);
}

export async function removeCountries(tx: TenantDatabase, regionId: string): Promise<void> {
  await tx.remove('region_countries', { regionId });
}

export async function hasRegions(db: TenantDatabase): Promise<boolean> {
  return (await db.query('select id from regions where tenant_id = $1 limit 1')).length > 0;
}

/** The currencies of all regions. */
export async function listRegionCurrencies(db: TenantDatabase): Promise<string[]> {
  const rows = await db.query<{ currency: string }>('select distinct currency from regions where tenant_id = $1');
  return rows.map(({ currency }) => currency);
}
