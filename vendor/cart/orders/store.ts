/**
 * Queries of carts that become orders.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { Owner } from '../owner-store.ts';
import { type CartHeader, headerColumns } from '../store.ts';

/** Marks a cart as completed and deletes its lines, in one statement; false if it is not active. */
export async function markCompleted(tx: TenantDatabase, id: string, orderId: string): Promise<boolean> {
  const rows = await tx.query(
    `with emptied as (delete from cart_line_items where tenant_id = $1 and cart_id = $2)
     update carts set status = 'completed', order_id = $3, version = version + 1, updated_at = now()
      where tenant_id = $1 and id = $2 and status = 'active'
     returning id`,
    [id, orderId],
  );
  return rows.length > 0;
}

/** The order that the last cart of a guest's session has become; null if none has. */
export async function findLastOrderOfSession(db: TenantDatabase, sessionHash: string): Promise<string | null> {
  const [cart] = await db.query<{ orderId: string }>(
    `select order_id from carts
      where tenant_id = $1 and session_hash = $2 and status = 'completed'
      order by updated_at desc, id desc limit 1`,
    [sessionHash],
  );
  return cart?.orderId ?? null;
}

/**
 * Locks a cart that has become an order, with its owner: the one of the checkout, or the member who has logged in since. Null
 * for any other, such as one whose contents were returned.
 */
export async function lockCompletedCart(
  tx: TenantDatabase,
  id: string,
): Promise<{ cart: CartHeader; owner: Owner } | null> {
  const [row] = await tx.query<CartHeader & { sessionHash: string }>(
    `select ${headerColumns}, carts.session_hash from carts
      where carts.tenant_id = $1 and carts.id = $2 and carts.status = 'completed' for update of carts`,
    [id],
  );
  if (!row) return null;
  const { sessionHash, ...cart } = row;
  const { memberId } = cart;
  return { cart, owner: memberId === null ? { by: 'session', key: sessionHash } : { by: 'member', key: memberId } };
}
