/**
 * Queries of the carts of guests: of their sessions, of those who log in, and of those who do not return.
 */
import type { TenantDatabase } from '@carton/runtime';

/** Whether a session has a cart that was created before a time. */
export async function hasCartOfBefore(db: TenantDatabase, sessionHash: string, before: Date): Promise<boolean> {
  const found = await db.query(
    'select id from carts where tenant_id = $1 and session_hash = $2 and created_at < $3 limit 1',
    [sessionHash, before],
  );
  return found.length > 0;
}

/** Moves all carts of a session to another. Returns their ids. */
export async function moveToSession(tx: TenantDatabase, from: string, to: string): Promise<string[]> {
  const carts = await tx.query<{ id: string }>(
    'update carts set session_hash = $3 where tenant_id = $1 and session_hash = $2 returning id',
    [from, to],
  );
  return carts.map(({ id }) => id);
}

/** The carts of a guest's session that have become orders, with these. */
export function findCompletedCarts(
  tx: TenantDatabase,
  sessionHash: string,
): Promise<{ id: string; orderId: string }[]> {
  return tx.query(
    `select id, order_id from carts
      where tenant_id = $1 and session_hash = $2 and status = 'completed' and order_id is not null`,
    [sessionHash],
  );
}

/** Gives completed carts of a guest to a member. Locks them, and leaves those whose contents were returned meanwhile. */
export async function handOverCarts(tx: TenantDatabase, ids: readonly string[], memberId: string): Promise<void> {
  await tx.query(
    `update carts set member_id = $3, session_hash = null, version = version + 1, updated_at = now()
      where tenant_id = $1 and id = any($2::uuid[]) and status = 'completed'`,
    [ids, memberId],
  );
}

/** Where a batch ends in the order of the index: the cart's last change and its id. */
export type Position = readonly [updatedAt: string, id: string];

/**
 * Oldest first, after `$3` and `$4`; `$2`: the days; `$5`: the number of carts. Carts that are being changed are left for
 * the next run.
 */
export const oldCartsText = `
  select id, updated_at from carts
   where tenant_id = $1 and member_id is null and updated_at < now() - $2 * interval '1 day'
     and (updated_at, id) > ($3::timestamptz, $4::uuid)
   order by updated_at, id limit $5 for update skip locked`;

/** Locks the carts of guests that have not changed for some days, in the order of `Position`. */
export function lockOldCarts(
  tx: TenantDatabase,
  days: number,
  after: Position,
  limit: number,
): Promise<{ id: string; updatedAt: string }[]> {
  return tx.query(oldCartsText, [days, ...after, limit]);
}
