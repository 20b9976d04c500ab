/**
 * Queries of `product_prices`.
 */
import type { TenantDatabase } from '@carton/runtime';
import { hasPricesOfRegion } from '../store.ts';

/** Takes the place of the region in the price of a currency. */
export const noRegion = '00000000-0000-0000-0000-000000000000';

export interface LowestPrice {
  productId: string;
  currency: string;
  regionId: string;
  amount: number;
}

/**
 * SQL value: the region whose rows have the prices of a region: a region without prices of its own has those without a
 * region. Looked up once, before the index is read. @param region the parameter with its id
 */
export const listedRegion = (region: string) =>
  `(case when ${hasPricesOfRegion(region)} then ${region} else '${noRegion}' end)`;

export function findLowest(db: TenantDatabase, productIds: readonly string[]): Promise<LowestPrice[]> {
  return db.query<LowestPrice>(
    'select product_id, currency, region_id, amount from product_prices where tenant_id = $1 and product_id = any($2::uuid[])',
    [productIds],
  );
}

export async function removeLowest(tx: TenantDatabase, prices: readonly LowestPrice[]): Promise<void> {
  if (prices.length === 0) return;
  await tx.query(
    `delete from product_prices
      where tenant_id = $1 and product_id = any($2::uuid[])
        and (product_id, currency, region_id) in (select * from unnest($2::uuid[], $3::text[], $4::uuid[]))`,
    columnsOf(prices).slice(0, 3),
  );
}

export async function putLowest(tx: TenantDatabase, prices: readonly LowestPrice[]): Promise<void> {
  if (prices.length === 0) return;
  await tx.query(
    `insert into product_prices (tenant_id, product_id, currency, region_id, amount)
     select $1, * from unnest($2::uuid[], $3::text[], $4::uuid[], $5::bigint[])
         on conflict (tenant_id, product_id, currency, region_id) do update set amount = excluded.amount`,
    columnsOf(prices),
  );
}

function columnsOf(prices: readonly LowestPrice[]): unknown[][] {
  const names = ['productId', 'currency', 'regionId', 'amount'] as const;
  return names.map((name) => prices.map((price) => price[name]));
}

/** Gives a region the prices of its currency, before its own prices are taken into account. */
export async function copyToRegion(tx: TenantDatabase, regionId: string, currency: string): Promise<void> {
  await tx.query(
    `insert into product_prices (tenant_id, product_id, currency, region_id, amount)
     select tenant_id, product_id, currency, $2::uuid, amount from product_prices
      where tenant_id = $1 and currency = $3 and region_id = '${noRegion}'`,
    [regionId, currency],
  );
}

export async function forgetRegion(tx: TenantDatabase, regionId: string, currency: string): Promise<void> {
  await tx.query('delete from product_prices where tenant_id = $1 and currency = $3 and region_id = $2', [
    regionId,
    currency,
  ]);
}
