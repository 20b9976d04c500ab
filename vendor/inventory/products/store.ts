/**
 * Queries of `product_stock`, the units of products, and of until when changes are counted (`product_stock_refreshes`).
 */
import { changedProducts, isPublishedProduct } from '@carton/product';
import type { TenantDatabase } from '@carton/runtime';

/** What products count for that are sold without stock: more than any other. */
export const unlimitedStock = 1_000_000_000_000;

/** The units of a product, over `items` and the `levels` joined to it. */
const units = `
  case when bool_or(not items.tracked or items.back_order_policy = 'allow') then ${unlimitedStock}
       else coalesce(sum(greatest(levels.on_hand - levels.reserved, 0)), 0) end`;

/** True for items of published products. */
const isCounted = isPublishedProduct('items.product_id');

const countText = `
  with gone as (
    delete from product_stock
     where tenant_id = $1 and product_id = any($2::uuid[])
       and not exists (select from stock_items items
                        where items.tenant_id = $1 and items.product_id = product_stock.product_id and ${isCounted})
  )
  insert into product_stock (tenant_id, product_id, units)
  select $1, items.product_id, ${units}
    from stock_items items
    left join stock_levels levels on levels.tenant_id = $1 and levels.stock_item_id = items.id
   where items.tenant_id = $1 and items.product_id = any($2::uuid[]) and ${isCounted}
   group by items.product_id
      on conflict (tenant_id, product_id) do update set units = excluded.units
   where product_stock.units <> excluded.units`;

/** The first run counts all products. */
const never = '2000-01-01T00:00:00Z';

/** Counts products again. */
export async function countProducts(tx: TenantDatabase, productIds: readonly string[]): Promise<void> {
  await tx.query(countText, [productIds]);
}

/**
 * Locks the counts of a store until the transaction ends: they have one writer at a time, so that none overwrites what
 * another one has counted later. Returns until when changes are counted.
 */
export async function lockCounts(tx: TenantDatabase): Promise<string> {
  await tx.query(
    `insert into product_stock_refreshes (tenant_id, refreshed_until) values ($1, '${never}')
     on conflict (tenant_id) do nothing`,
  );
  const [row] = await tx.query<{ refreshedUntil: string }>(
    'select refreshed_until from product_stock_refreshes where tenant_id = $1 for update',
  );
  return row?.refreshedUntil ?? never;
}

export async function setRefreshedUntil(tx: TenantDatabase, until: string): Promise<void> {
  await tx.query('update product_stock_refreshes set refreshed_until = $2 where tenant_id = $1', [until]);
}

const changedText = `
  select items.product_id
    from stock_levels levels
    join stock_items items on items.tenant_id = $1 and items.id = levels.stock_item_id
   where levels.tenant_id = $1 and levels.updated_at > $2 and levels.updated_at <= $3 and items.product_id is not null
   union ${changedProducts('$2', '$3')}`;

/** The products that have changed between two times, the later one included, and those whose levels have. */
export async function findChangedProducts(tx: TenantDatabase, since: string, until: string): Promise<string[]> {
  const changed = await tx.query<{ productId: string }>(changedText, [since, until]);
  return changed.map(({ productId }) => productId);
}

const hasChangesText = `
  with last as (
    select coalesce((select refreshed_until from product_stock_refreshes where tenant_id = $1), '${never}') as refreshed
  )
  select exists (select from stock_levels where tenant_id = $1 and updated_at > refreshed)
      or exists (${changedProducts('refreshed', "'infinity'")}) as changed
    from last`;

/** Whether products or levels may have changed since the last time. */
export async function hasChanges(db: TenantDatabase): Promise<boolean> {
  const [found] = await db.query<{ changed: boolean }>(hasChangesText);
  return found?.changed ?? false;
}

export async function productsOfVariants(tx: TenantDatabase, variantIds: readonly string[]): Promise<string[]> {
  const products = await tx.query<{ productId: string }>(
    `select distinct product_id from stock_items
      where tenant_id = $1 and id = any($2::uuid[]) and product_id is not null`,
    [variantIds],
  );
  return products.map(({ productId }) => productId);
}

/** Separates items from their products, which they count for no longer. */
export async function forgetProducts(tx: TenantDatabase, variantIds: readonly string[]): Promise<void> {
  await tx.query('update stock_items set product_id = null where tenant_id = $1 and id = any($2::uuid[])', [
    variantIds,
  ]);
}
