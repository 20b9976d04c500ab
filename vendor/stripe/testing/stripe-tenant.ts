/**
 * Helpers of tests with Stripe: a simulator of the provider, and a box that uses it.
 */
import { reconcileAll } from '@carton/payment/testing';
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

/** @param options packages that are named get Stripe's @param more environment variables of the box; `undefined` removes a setting */
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
  const packages = options.packages && [...options.packages, '@carton/stripe'];
  const box = await createTestBox(t, { ...options, ...(packages && { packages }), environment });
  return { box, simulator, shopper: new Shopper(simulator.url) };
}

/** Lets the simulator send webhooks to the box. */
export function enableWebhooks({ box, simulator }: StripeTenant): void {
  simulator.listen([{ url: `${box.url}/payments/webhooks/stripe`, secret: webhookSecret }]);
}

/** Mismatches between provider and box that remain after reconciliation. */
export async function mismatchesAfterReconciliation({ box: { db }, simulator }: StripeTenant): Promise<string[]> {
  await reconcileAll(db);
  const recorded = await db.query<RecordedPayment>(
    "select * from payments where tenant_id = $1 and provider = 'stripe'",
  );
  return findMismatches(simulator.ledger(), recorded);
}
