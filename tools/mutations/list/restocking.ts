/**
 * Mutations of the rules by which refunded units return to stock.
 */
import type { Mutation } from '../mutation.ts';

const tests = ['vendor/fulfillment/test/restocking.test.ts'];

export const restocking: readonly Mutation[] = [
  {
    rule: 'Refunded units in a parcel, or shipped, do not return to stock',
    file: 'vendor/fulfillment/units.ts',
    text: 'Math.max(packed, quantity - refunded)',
    replacement: 'quantity - refunded',
    tests,
  },
  {
    rule: 'What was returned to stock before is not returned again with a refund',
    file: 'vendor/fulfillment/units.ts',
    text: 'Math.max(0, quantity - restockedQuantity - needed)',
    replacement: 'Math.max(0, Math.min(refunded, quantity - needed))',
    tests,
  },
  {
    rule: 'A refund returns stock once it has succeeded',
    file: 'vendor/payment/refund-store.ts',
    text: "step.id = refunds.id\n            and step.status = 'succeeded'",
    replacement: 'step.id = refunds.id',
    tests,
  },
  {
    rule: 'A refund with restock false returns no stock',
    file: 'vendor/payment/refund-store.ts',
    text: 'refunds.order_id = $2 and refunds.restock',
    replacement: 'refunds.order_id = $2',
    tests,
  },
  {
    rule: 'A refund of an amount returns no stock',
    file: 'vendor/payment/refund-store.ts',
    text: 'restock && plan.parts.some(({ lineItemId, quantity }) => lineItemId !== null && quantity > 0)',
    replacement: 'restock',
    tests,
  },
  {
    rule: 'Refunded units of a parcel are not kept for another one',
    file: 'vendor/fulfillment/service.ts',
    text: 'await restockRefunded(tx, orderId, await findOrderUnits(tx, [orderId]));',
    replacement: '',
    tests,
  },
  {
    rule: 'Refunded units return with the lines of the order locked',
    file: 'vendor/fulfillment/restocking.ts',
    text: 'restockRefunded(tx, orderId, await lockOrderLines(tx, orderId))',
    replacement: 'restockRefunded(tx, orderId, await lockOrderLines(db, orderId))',
    tests,
  },
  {
    rule: 'The timeline names an order that was refunded without its units',
    file: 'vendor/payment/bookkeeping.ts',
    text: "status !== 'placed' || paymentStatus !== 'refunded' || fulfillmentStatus === 'fulfilled'",
    replacement: "status === 'placed' || paymentStatus !== 'refunded'",
    tests,
  },
];
