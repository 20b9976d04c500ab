/**
 * Stripe for tests and rigs: servers with the parts of its HTTP API that the box uses, in the process of the test or as
 * processes of their own. That of payments loses responses, sends webhooks late, twice and out of order, and keeps a ledger
 * of the money that moved.
 */

export type { Dispute } from './account.ts';
export { cardSales } from './card-sales.ts';
export { type FaultRates, type Faults, noRates, type Operation, randomFaults } from './faults.ts';
export type { LedgerEntry } from './ledger.ts';
export { findMismatches, type RecordedPayment } from './mismatches.ts';
export { randomOf } from './random.ts';
export { type SimulatorOptions, startSimulator } from './server.ts';
export { Shopper } from './shopper.ts';
export {
  enableWebhooks,
  mismatchesAfterReconciliation,
  openStripeTenant,
  type StripeTenant,
  webhookSecret,
} from './stripe-tenant.ts';
export { booksCode, startTaxService, taxServiceSettings, unknownPostalCode, wrongAnswers } from './tax/service.ts';
export { sign } from './webhooks.ts';
