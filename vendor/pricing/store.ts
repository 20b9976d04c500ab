/**
 * Queries of prices.
 */
import { goodsRows, newId, type TenantDatabase } from '@carton/runtime';

export interface PriceRow {
  id: string;
  variantId: string;
  currency: string;
  regionId: string | null;
  amount: number;
  /** The regular price, shown while it is above `amount`. */
  compareAt: number | null;
  /** What the unit costs the store; for staff only. */
  cost: number | null;
  /** While `compareAt` is above `amount`: the lowest price of the 30 days before this amount, if there was any. */
  lowestPrior: number | null;
  updatedAt: string;
}

/** A price as it applies to shoppers. */
export type BasePrice = Pick<PriceRow, 'amount' | 'compareAt' | 'lowestPrior'>;

/** Identifies a price among those of all variants; null and no region are the same. */
export function keyOf({
  variantId,
  currency,
  regionId,
}: {
  variantId: string;
  currency: string;
  regionId?: string | null;
}) {
  return `${variantId} ${currency} ${regionId ?? ''}`;
}

/**
 * Serialises the writers of a tenant's prices until the transaction ends. A row rather than an advisory lock: a
 * serializable transaction that waited for another writer would read the prices from before, and fails here instead.
 */
export async function lockPrices(db: TenantDatabase): Promise<void> {
  await db.query(
    `insert into price_writes (tenant_id, number) values ($1, 1)
         on conflict (tenant_id) do update set number = price_writes.number + 1`,
  );
}

/** All prices of variants by currency; the one without a region comes first. */
export function findPrices(db: TenantDatabase, variantIds: readonly string[]): Promise<PriceRow[]> {
  return db.query<PriceRow>(
    `select id, variant_id, currency, region_id, amount, compare_at, cost, lowest_prior, updated_at
       from variant_prices
      where tenant_id = $1 and variant_id = any($2::uuid[])
      order by variant_id, currency, region_id nulls first`,
    [variantIds],
  );
}

const basePrices = goodsRows<BasePrice & { variantId: string }>({
  text: `
    select distinct on (variant_id) variant_id, amount, compare_at, lowest_prior
      from variant_prices
     where tenant_id = $1 and variant_id = any($2::uuid[]) and currency = $3
       and (region_id is null or region_id = $4)
     order by variant_id, region_id nulls last`,
  id: 'variantId',
});

/**
 * Prices of variants in minor units of a currency; a region's price takes precedence. At most one statement; variants
 * without a price are left out.
 */
export async function pricesOf(
  db: TenantDatabase,
  variantIds: readonly string[],
  { currency, regionId }: { currency: string; regionId: string | null },
): Promise<Map<string, BasePrice>> {
  if (variantIds.length === 0) return new Map();
  const rows = await db.readGoods(basePrices, variantIds, [currency, regionId]);
  return new Map(rows.map((row) => [row.variantId, row]));
}

/** SQL condition: a region has prices of its own. @param region the parameter with its id */
export const hasPricesOfRegion = (region: string) =>
  `exists (select from variant_prices own_prices where own_prices.tenant_id = $1 and own_prices.region_id = ${region})`;

/** True if a region has prices of its own. */
export async function regionHasPrices(db: TenantDatabase, regionId: string): Promise<boolean> {
  const rows = await db.query('select id from variant_prices where tenant_id = $1 and region_id = $2 limit 1', [
    regionId,
  ]);
  return rows.length > 0;
}

export async function insertPrice(db: TenantDatabase, price: Omit<PriceRow, 'id' | 'updatedAt'>): Promise<void> {
  await db.insert('variant_prices', { id: newId(), ...price });
}

export async function changePrice(
  db: TenantDatabase,
  id: string,
  patch: BasePrice & Pick<PriceRow, 'cost'>,
): Promise<void> {
  await db.update('variant_prices', { id }, { ...patch, updatedAt: new Date() });
}

export async function removePrices(db: TenantDatabase, ids: readonly string[]): Promise<void> {
  await db.remove('variant_prices', { id: ids });
}

export interface PricedRegion {
  regionId: string;
  currency: string;
}

/** The regions with prices of their own: goes from each to the next one in the index, however many prices it has. */
export function findPricedRegions(tx: TenantDatabase): Promise<PricedRegion[]> {
  return tx.query<PricedRegion>(
    `with recursive priced as (
       (select region_id, currency from variant_prices
         where tenant_id = $1 and region_id is not null order by region_id limit 1)
       union all
       select following.region_id, following.currency
         from priced
        cross join lateral (
          select region_id, currency from variant_prices
           where tenant_id = $1 and region_id > priced.region_id order by region_id limit 1) following
     )
     select region_id, currency from priced`,
  );
}
