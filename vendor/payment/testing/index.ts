/**
 * Payment providers for tests: one in memory, `TestProvider`; and the part of Stripe's HTTP API that the adapter uses,
 * spoken by a real server that loses answers and sends its call-backs late, twice and in any order, and that counts what
 * money moved.
 */

export { type Fault, type FaultRates, type Faults, noRates, type Operation, randomFaults } from './faults.ts';
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
  type StripeTenant,
  webhookSecret,
} from './stripe-tenant.ts';
export { sign, type WebhookEndpoint } from './webhooks.ts';
