/**
 * The stock of products as a measure: the sorts `stock`, `-stock` of `GET /products`. There is no range, and cursors do not
 * have the number: a few requests would tell the stock of each product.
 *
 * No sale writes it, since sales of different variants of a product would wait for each other. A job counts the products
 * again that have changed since its last run, or whose levels have, which it tells by their `updated_at`: up to the time
 * until which all transactions have ended, so that none is missed that commits late. Only published products are counted:
 * shoppers see no others, and a list by stock would read past all drafts, which have none.
 */
import type { ProductMeasure } from '@carton/product';
import type { TenantDatabase } from '@carton/runtime';

/** What products count for that are sold without stock: more than any other. */
export const unlimitedStock = 1_000_000_000_000;

export const stockMeasure: ProductMeasure = {
  name: 'stock',
  sorted:
    '`stock`: least stock first, `-stock`: most first, both as of at most a minute ago; without products that were published since',
  isHidden: true,
  table: 'product_stock',
  column: 'units',
  key: {},
  findKey: async () => [],
};

/** The units of a product, over `items` and the `levels` joined to it. */
const units = `
  case when bool_or(not items.tracked or items.back_order_policy = 'allow') then ${unlimitedStock}
       else coalesce(sum(greatest(levels.on_hand - levels.reserved, 0)), 0) end`;

/** True for items of published products. */
const isCounted = `
  exists (select from products
           where products.tenant_id = $1 and products.id = items.product_id
             and products.status = 'published' and products.deleted_at is null)`;

/** Counts products again, whose ids are `$2`. */
const count = `
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

/**
 * Locks the counts of a store until the transaction ends: they have one writer at a time, so that none overwrites what
 * another one has counted later. Returns until when changes are counted.
 */
async function lockCounts(tx: TenantDatabase): Promise<string> {
  await tx.query(
    `insert into product_stock_refreshes (tenant_id, refreshed_until) values ($1, '${never}')
     on conflict (tenant_id) do nothing`,
  );
  const [row] = await tx.query<{ refreshedUntil: string }>(
    'select refreshed_until from product_stock_refreshes where tenant_id = $1 for update',
  );
  return row?.refreshedUntil ?? never;
}

/** The products that have changed between the times, and those whose levels have. */
const changedProducts = `
  select items.product_id
    from stock_levels levels
    join stock_items items on items.tenant_id = $1 and items.id = levels.stock_item_id
   where levels.tenant_id = $1 and levels.updated_at > $2 and levels.updated_at <= $3 and items.product_id is not null
   union
  select id from products
   where tenant_id = $1 and updated_at > $2 and updated_at <= $3 and deleted_at is null`;

/** Whether there may be any: in most stores nothing has changed, and then nothing is written. */
const hasChanges = `
  with last as (
    select coalesce((select refreshed_until from product_stock_refreshes where tenant_id = $1), '${never}') as refreshed
  )
  select exists (select from stock_levels where tenant_id = $1 and updated_at > refreshed)
      or exists (select from products where tenant_id = $1 and updated_at > refreshed and deleted_at is null) as changed
    from last`;

/** Counts the products again whose stock or status has changed since the last time. Safe to run concurrently. */
export async function refreshProductStock(db: TenantDatabase): Promise<void> {
  const [found] = await db.query<{ changed: boolean }>(hasChanges);
  if (!found?.changed) return;
  const until = await db.committedUntil();
  await db.transaction(async (tx) => {
    const since = await lockCounts(tx);
    if (Date.parse(since) >= Date.parse(until)) return;
    const changed = await tx.query<{ productId: string }>(changedProducts, [since, until]);
    if (changed.length > 0) await tx.query(count, [changed.map(({ productId }) => productId)]);
    await tx.query('update product_stock_refreshes set refreshed_until = $2 where tenant_id = $1', [until]);
  });
}

/** Lists the products of deleted variants no longer by their stock, and counts the other variants of these products. */
export async function forgetVariants(tx: TenantDatabase, variantIds: readonly string[]): Promise<void> {
  await lockCounts(tx);
  const products = await tx.query<{ productId: string }>(
    `select distinct product_id from stock_items
      where tenant_id = $1 and id = any($2::uuid[]) and product_id is not null`,
    [variantIds],
  );
  await tx.query('update stock_items set product_id = null where tenant_id = $1 and id = any($2::uuid[])', [
    variantIds,
  ]);
  await tx.query(count, [products.map(({ productId }) => productId)]);
}
