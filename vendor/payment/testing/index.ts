/**
 * Payment providers for tests: `TestProvider` in memory, and a server with the part of Stripe's HTTP API that the
 * adapter uses. The server loses responses, sends webhooks late, twice and out of order, and keeps a ledger of the
 * money that moved.
 */

export { type Fault, type FaultRates, type Faults, noRates, type Operation, randomFaults } from './faults.ts';
export { type Form, parseForm, textOf } from './form.ts';
export type { LedgerEntry } from './ledger.ts';
export { findMismatches, type RecordedPayment } from './mismatches.ts';
export { TestProvider } from './provider.ts';
export { type Random, randomOf } from './random.ts';
export { type ProviderSimulator, type SimulatorOptions, startSimulator } from './server.ts';
export { Shopper } from './shopper.ts';
export {
  ageByTwoDays,
  enableWebhooks,
  mismatchesAfterReconciliation,
  openStripeTenant,
  reconcileAll,
  type StripeTenant,
  webhookSecret,
} from './stripe-tenant.ts';
export { sign, type WebhookEndpoint } from './webhooks.ts';
