/**
 * The job that deletes old carts of guests, with what other packages store for them.
 */
import { extensionPoint, job, packageSettings, type TenantDatabase, Type } from '@carton/runtime';

export const cartRetention = packageSettings({
  CART_RETENTION_DAYS: Type.Integer({
    minimum: 0,
    maximum: 3650,
    default: 90,
    description: 'Days after its last change for which the cart of a guest is stored; 0 for ever',
  }),
});

/** What a package stores for carts, when old carts are deleted or carts emptied. The carts are locked. */
export interface CartCleanUp {
  /** Which of these carts must stay for now. */
  keep?(tx: TenantDatabase, ids: readonly string[]): Promise<readonly string[]>;
  /** Deletes the package's rows of these carts; unnecessary for rows that reference the cart `on delete cascade`. */
  remove?(tx: TenantDatabase, ids: readonly string[]): Promise<unknown>;
  /** Releases what is held for a cart from which its shopper has removed all items. */
  emptied?(tx: TenantDatabase, id: string): Promise<unknown>;
}
export const cartCleanUps = extensionPoint<CartCleanUp>('cart.clean-ups');

/** Where a batch ends in the order of the index: the cart's last change and its id. */
type Position = readonly [updatedAt: string, id: string];
const beginning: Position = ['-infinity', '00000000-0000-0000-0000-000000000000'];

/**
 * Oldest first, after `$3` and `$4`; `$2`: the days; `$5`: the number of carts. Carts that are being changed are left for
 * the next run.
 */
export const oldCartsText = `
  select id, updated_at from carts
   where tenant_id = $1 and member_id is null and updated_at < now() - $2 * interval '1 day'
     and (updated_at, id) > ($3::timestamptz, $4::uuid)
   order by updated_at, id limit $5 for update skip locked`;

async function deleteBatch(tx: TenantDatabase, days: number, after: Position, size: number): Promise<Position | null> {
  const old = await tx.query<{ id: string; updatedAt: string }>(oldCartsText, [days, ...after, size]);
  const last = old.at(-1);
  const cleanUps = cartCleanUps.of(tx);
  const kept = new Set<string>();
  const found = old.map(({ id }) => id);
  for (const { keep } of cleanUps) for (const id of (await keep?.(tx, found)) ?? []) kept.add(id);
  const ids = found.filter((id) => !kept.has(id));
  if (ids.length > 0) {
    for (const { remove } of cleanUps) await remove?.(tx, ids);
    await tx.query('delete from cart_line_items where tenant_id = $1 and cart_id = any($2::uuid[])', [ids]);
    await tx.query('delete from cart_addresses where tenant_id = $1 and cart_id = any($2::uuid[])', [ids]);
    await tx.query('delete from carts where tenant_id = $1 and id = any($2::uuid[])', [ids]);
  }
  return last && old.length === size ? [last.updatedAt, last.id] : null;
}

/**
 * Deletes the carts of guests, of any status, that have not changed for the days of the setting. Orders keep the id of
 * the cart they came from.
 * @param batchSize carts in one transaction: few, so that none holds its row locks for long
 */
export async function removeOldCarts(db: TenantDatabase, batchSize = 200): Promise<void> {
  const days = cartRetention.of(db).CART_RETENTION_DAYS;
  if (days === 0) return;
  let after: Position | null = beginning;
  while (after) {
    const from: Position = after;
    after = await db.transaction((tx) => deleteBatch(tx, days, from, batchSize));
  }
}

/** Once a day, because it also passes the old carts of members. */
export const deleteOldCarts = job({ name: 'cart.delete-old', everySeconds: 86_400, run: (db) => removeOldCarts(db) });
