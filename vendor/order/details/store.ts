/**
 * Changes of what an order says of its shopper, of its tags, and of where staff keep it.
 */
import { foldCase, json, type TenantDatabase } from '@carton/runtime';
import type { OrderAddress } from '../schemas.ts';
import type { AddressType, OrderRow } from '../store.ts';

type Details = Pick<OrderRow, 'email' | 'customerName' | 'phone' | 'tags' | 'externalId' | 'metadata'>;

/** Changes columns of an order; those that are undefined stay. False, without effect, for an unknown id. */
export async function updateDetails(
  tx: TenantDatabase,
  id: string,
  { metadata, ...details }: { [Name in keyof Details]: Details[Name] | undefined },
): Promise<boolean> {
  const patch = { ...details, metadata: metadata && json(metadata), updatedAt: new Date() };
  return (await tx.update('orders', { id }, patch)).length > 0;
}

/** Archives an order at this time or, with null, unarchives it. */
export async function putArchivedAt(tx: TenantDatabase, id: string, archivedAt: Date | null): Promise<void> {
  await tx.update('orders', { id }, { archivedAt, updatedAt: new Date() });
}

/** Sets an address or, with null, removes it. The order must be locked. */
export async function putAddress(
  tx: TenantDatabase,
  orderId: string,
  type: AddressType,
  address: OrderAddress | null,
): Promise<void> {
  const key = { orderId, type };
  if (address === null) {
    await tx.remove('order_addresses', key);
    return;
  }
  const changed = await tx.update('order_addresses', key, { address: json(address) });
  if (changed.length === 0) await tx.insert('order_addresses', { ...key, address: json(address) });
}

/** Replaces the tags of an order. The order must be locked. */
export async function putTags(tx: TenantDatabase, orderId: string, tags: readonly string[]): Promise<void> {
  await tx.query('delete from order_tags where tenant_id = $1 and order_id = $2', [orderId]);
  await tx.query(
    `insert into order_tags (tenant_id, order_id, tag_key, created_at)
     select orders.tenant_id, orders.id, tag, orders.created_at
       from orders cross join unnest($3::text[]) as tag
      where orders.tenant_id = $1 and orders.id = $2
         on conflict do nothing`,
    [orderId, tags.map(foldCase)],
  );
}
