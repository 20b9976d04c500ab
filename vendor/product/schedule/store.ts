/**
 * Queries of scheduled publication.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { ProductRow } from '../store.ts';

/** When the visibility of the row `products` changes next. */
export const nextChange = `case when status <> 'published' or deleted_at is not null then null
  when publish_at > now() then publish_at
  when unpublish_at > now() then unpublish_at end`;

/**
 * Writes when the visibility of a product changes next.
 * @returns whether it is published while its time is over
 */
export async function setNextChange(tx: TenantDatabase, id: string): Promise<boolean> {
  const [product] = await tx.query<{ isOver: boolean }>(
    `update products set visibility_changes_at = ${nextChange}
      where tenant_id = $1 and id = $2
      returning (status = 'published' and unpublish_at <= now()) is true as is_over`,
    [id],
  );
  return product?.isOver ?? false;
}

/** Products that are locked at a time. */
export const batchSize = 100;

/** Products whose visibility changed without an event, locked; those locked by others are left out. */
export async function lockDueProducts(tx: TenantDatabase): Promise<string[]> {
  const due = await tx.query<{ id: string }>(
    `select id from products
      where tenant_id = $1 and visibility_changes_at <= now() and deleted_at is null
      order by visibility_changes_at limit ${batchSize} for update skip locked`,
  );
  return due.map(({ id }) => id);
}

/** Archives a locked product if its time is over, and writes when its visibility changes next. */
export async function archiveIfOver(tx: TenantDatabase, id: string): Promise<ProductRow> {
  const [product] = await tx.query<ProductRow>(
    `update products
        set status = case when unpublish_at <= now() then 'archived' else status end,
            visibility_changes_at = case when unpublish_at > now() then unpublish_at end, updated_at = now()
      where tenant_id = $1 and id = $2 returning *`,
    [id],
  );
  return product as ProductRow;
}
