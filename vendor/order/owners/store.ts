/**
 * Changes of whose orders they are.
 */
import type { ProvedEmail, TenantDatabase } from '@carton/runtime';

/** Gives the orders of these carts, where a session placed them, to the session that takes its place. */
export async function moveOrdersOfCarts(tx: TenantDatabase, cartIds: readonly string[], to: string): Promise<void> {
  await tx.query(
    `update orders set session_hash = $3
      where tenant_id = $1 and cart_id = any($2::uuid[]) and session_hash is not null`,
    [cartIds, to],
  );
}

/** Assigns guest orders to the member who has verified their e-mail address. Orders of other members are unaffected. */
export async function claimOrders(tx: TenantDatabase, { memberId, email }: ProvedEmail): Promise<void> {
  await tx.query(
    `update orders set member_id = $2, updated_at = now()
      where tenant_id = $1 and member_id is null and email_key = $3`,
    [memberId, email.toLowerCase()],
  );
}
