/**
 * Whose orders guests read: those of their session.
 */
import type { TenantDatabase } from '@carton/runtime';

/** Gives the orders of these carts, where a session placed them, to the session that takes its place. */
export async function moveOrdersOfCarts(tx: TenantDatabase, cartIds: readonly string[], to: string): Promise<void> {
  await tx.query(
    `update orders set session_hash = $3
      where tenant_id = $1 and cart_id = any($2::uuid[]) and session_hash is not null`,
    [cartIds, to],
  );
}
