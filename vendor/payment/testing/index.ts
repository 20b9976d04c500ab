/**
 * For tests with payments: what every adapter must keep, a payment provider in memory, orders to be paid, and the passing of time.
 */

export { reconcile } from '../reconcile.ts';
export { testPaymentAdapter } from './contract.ts';
export { place } from './place.ts';
export { TestProvider } from './provider.ts';
export { ageByTwoDays, reconcileAll } from './two-days.ts';
