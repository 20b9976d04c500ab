/**
 * Queries of the tables of region.
 */
import type { TenantDatabase } from '@carton/runtime';

export interface RegionRow {
  id: string;
  name: string;
  /** ISO 4217 */
  currency: string;
  /** Whether prices in this region hold their tax already. */
  taxInclusive: boolean;
  /** ISO 3166-1 alpha-2, in alphabetical order. */
  countries: string[];
  externalId: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

const columns = `id, name, currency, tax_inclusive, external_id, metadata, created_at, updated_at,
  array(select country from region_countries countries
         where countries.tenant_id = $1 and countries.region_id = regions.id order by country) as countries`;

/** A region with its countries, null for an unknown id. */
export async function findRegion(db: TenantDatabase, id: string): Promise<RegionRow | null> {
  const [region] = await db.query<RegionRow>(`select ${columns} from regions where tenant_id = $1 and id = $2`, [id]);
  return region ?? null;
}

/**
 * A region as it stays until the transaction ends: for whoever writes what depends on its currency.
 * Call it inside a transaction.
 */
export async function holdRegion(db: TenantDatabase, id: string): Promise<RegionRow | null> {
  await db.query('select id from regions where tenant_id = $1 and id = $2 for share', [id]);
  return findRegion(db, id);
}

/** Locks a region for a change; false for an unknown id. */
export async function lockRegion(db: TenantDatabase, id: string): Promise<boolean> {
  const rows = await db.query('select id from regions where tenant_id = $1 and id = $2 for update', [id]);
  return rows.length > 0;
}

/** All regions of the shop, by name. */
export function listRegions(db: TenantDatabase): Promise<RegionRow[]> {
  return db.query<RegionRow>(`select ${columns} from regions where tenant_id = $1 order by name, id`);
}

/** The region that sells to a country (ISO 3166-1 alpha-2), null when none does. */
export async function findRegionOfCountry(db: TenantDatabase, country: string): Promise<RegionRow | null> {
  const [region] = await db.query<RegionRow>(
    `select ${columns} from regions
      where tenant_id = $1
        and id = (select region_id from region_countries where tenant_id = $1 and country = $2)`,
    [country],
  );
  return region ?? null;
}

/** Regions by id, with their countries. */
export async function findRegions(db: TenantDatabase, ids: readonly string[]): Promise<Map<string, RegionRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<RegionRow>(`select ${columns} from regions where tenant_id = $1 and id = any($2)`, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

export function listCountries(db: TenantDatabase): Promise<{ country: string; regionId: string }[]> {
  return db.query('select country, region_id from region_countries where tenant_id = $1');
}

/**
 * Lets one writer of countries in at a time until its transaction ends: two that trade countries would
 * otherwise wait for each other.
 */
export async function lockCountries(db: TenantDatabase): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('region.countries ' || $1::text, 0))`);
}
