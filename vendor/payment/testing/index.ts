/**
 * For tests with payments: a payment provider in memory, orders to be paid, and the passing of time.
 */

export { place } from './place.ts';
export { TestProvider } from './provider.ts';
export { ageByTwoDays, reconcileAll } from './two-days.ts';
