/**
 * Helpers of tests with Stripe: a simulator of the provider, and a box that uses it.
 */
import { reconcile } from '@carton/payment';
import type { TenantDatabase } from '@carton/runtime';
import { createTestBox, type TestBox, type TestBoxOptions } from '@carton/runtime/testing';
import { findMismatches, type RecordedPayment } from './mismatches.ts';
import { type ProviderSimulator, type SimulatorOptions, startSimulator } from './server.ts';
import { Shopper } from './shopper.ts';

export const webhookSecret = 'whsec_simulator';

export interface StripeTenant {
  box: TestBox;
  simulator: ProviderSimulator;
  shopper: Shopper;
}

interface Cleanup {
  teardown(task: () => Promise<void>): void;
}

/** @param more environment variables of the box; `undefined` removes a setting */
export async function openStripeTenant(
  t: Cleanup,
  options: TestBoxOptions,
  more: NodeJS.ProcessEnv = {},
  simulated: SimulatorOptions = {},
): Promise<StripeTenant> {
  const simulator = await startSimulator(simulated);
  t.teardown(() => simulator.stop());
  const environment = {
    PAYMENT_ADAPTERS: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_simulator',
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_PUBLISHABLE_KEY: 'pk_test_simulator',
    STRIPE_API_URL: simulator.url,
    ...more,
  };
  const box = await createTestBox(t, { ...options, environment });
  return { box, simulator, shopper: new Shopper(simulator.url) };
}

/** Lets the simulator send webhooks to the box. */
export function enableWebhooks({ box, simulator }: StripeTenant): void {
  simulator.listen([{ url: `${box.url}/payments/webhooks/stripe`, secret: webhookSecret }]);
}

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

/** Mismatches between provider and box that remain after reconciliation. */
export async function mismatchesAfterReconciliation({ box: { db }, simulator }: StripeTenant): Promise<string[]> {
  await reconcileAll(db);
  const recorded = await db.query<RecordedPayment>(
    "select * from payments where tenant_id = $1 and provider = 'stripe'",
  );
  return findMismatches(simulator.ledger(), recorded);
}
