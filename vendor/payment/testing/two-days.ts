/**
 * Time passes for payments, so that the box reconciles what is due later.
 */

import type { TenantDatabase } from '@carton/runtime';
import { reconcile } from '../reconcile.ts';

/** Makes two days pass for sessions, pending steps and idempotency keys. */
export async function ageByTwoDays(db: TenantDatabase): Promise<void> {
  const before = "- interval '2 days'";
  await db.query(
    `update payment_sessions set updated_at = updated_at ${before}, check_at = check_at ${before} where tenant_id = $1`,
  );
  await db.query(
    `update payment_transactions set tried_at = tried_at ${before}, created_at = created_at ${before}
      where tenant_id = $1 and status = 'pending'`,
  );
  await db.query(
    "update idempotency_keys set busy_until = now() - interval '1 s' where tenant_id = $1 and status is null",
  );
}

/** Reconciles until nothing is left to do: a step that one run begins at its end, as a refund, is tried by the next. */
export async function reconcileAll(db: TenantDatabase): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await ageByTwoDays(db);
    await reconcile(db);
  }
}
