/**
 * Queries of prices.
 */
import { lockFor, newId, type TenantDatabase } from '@carton/runtime';
import type { PriceLine } from './schemas.ts';

export interface PriceRow {
  id: string;
  variantId: string;
  currency: string;
  regionId: string | null;
  amount: number;
  updatedAt: string;
}

/** Serialises the writers of a tenant's prices until the transaction ends. */
export async function lockPrices(db: TenantDatabase): Promise<void> {
  await lockFor(db, 'pricing.prices');
}

/** All prices of variants by currency; the one without a region comes first. */
export function findPrices(db: TenantDatabase, variantIds: readonly string[]): Promise<PriceRow[]> {
  return db.query<PriceRow>(
    `select id, variant_id, currency, region_id, amount, updated_at
       from variant_prices
      where tenant_id = $1 and variant_id = any($2::uuid[])
      order by variant_id, currency, region_id nulls first`,
    [variantIds],
  );
}

/**
 * Prices of variants in minor units of a currency; a region's price takes precedence. One statement; variants without a
 * price are left out.
 */
export async function pricesOf(
  db: TenantDatabase,
  variantIds: readonly string[],
  { currency, regionId }: { currency: string; regionId: string | null },
): Promise<Map<string, number>> {
  if (variantIds.length === 0) return new Map();
  const rows = await db.query<{ variantId: string; amount: number }>(
    `select distinct on (variant_id) variant_id, amount
       from variant_prices
      where tenant_id = $1 and variant_id = any($2::uuid[]) and currency = $3
        and (region_id is null or region_id = $4)
      order by variant_id, region_id nulls last`,
    [variantIds, currency, regionId],
  );
  return new Map(rows.map((row) => [row.variantId, row.amount]));
}

/** True if a region has prices of its own. */
export async function regionHasPrices(db: TenantDatabase, regionId: string): Promise<boolean> {
  const rows = await db.query('select id from variant_prices where tenant_id = $1 and region_id = $2 limit 1', [
    regionId,
  ]);
  return rows.length > 0;
}

export async function insertPrice(db: TenantDatabase, line: PriceLine): Promise<void> {
  const { variantId, currency, regionId = null, amount } = line;
  await db.insert('variant_prices', { id: newId(), variantId, currency, regionId, amount });
}

export async function changeAmount(db: TenantDatabase, id: string, amount: number): Promise<void> {
  await db.update('variant_prices', { id }, { amount, updatedAt: new Date() });
}

export async function removePrices(db: TenantDatabase, ids: readonly string[]): Promise<void> {
  await db.remove('variant_prices', { id: ids });
}
