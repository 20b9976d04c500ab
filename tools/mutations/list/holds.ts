/**
 * Mutations of the rules of what carts and orders hold: those of guests without paying, and refunded units.
 */
import type { Mutation } from '../mutation.ts';

const units = 'vendor/checkout/test/guest-units.test.ts';
const reservations = 'vendor/checkout/test/guest-reservations.test.ts';
const tenders = 'vendor/checkout/test/guest-tenders.test.ts';
const restocking = 'vendor/fulfillment/test/restocking.test.ts';
const held = 'vendor/fulfillment/test/held-stock.test.ts';
const returning = 'vendor/inventory/test/returning.test.ts';

export const holds: readonly Mutation[] = [
  {
    rule: 'What a guest may not reserve is not reserved for a moment either',
    file: 'vendor/checkout/reservations.ts',
    text: 'if (limited && (byHand || (await wouldExceed(tx, limited.limit, limited.guest, wanted)))) return;',
    replacement: 'if (limited && byHand) return;',
    tests: [reservations],
  },
  {
    rule: 'A guest whose units are limited reserves nothing for a payment by hand',
    file: 'vendor/checkout/reservations.ts',
    text: 'if (limited && (byHand || ',
    replacement: 'if (limited && (',
    tests: [units],
  },
  {
    rule: 'What the carts of a guest have reserved is counted',
    file: 'vendor/checkout/guest-units.ts',
    text: "reservedUnits('cart', 'guest_reservations.cart_id')",
    replacement: "'0::bigint'",
    tests: [reservations],
  },
  {
    rule: 'The own reservation of a cart is not counted beside its order',
    file: 'vendor/checkout/guest-units.ts',
    text: 'guest_reservations.cart_id <> $6::uuid',
    replacement: '$6::uuid is not null',
    tests: [reservations],
  },
  {
    rule: 'Reservations of one guest at once are counted one after the other, and after orders',
    file: 'vendor/checkout/guest-units.ts',
    text: 'await lockOrderNumbers(tx);',
    replacement: '',
    tests: [reservations],
  },
  {
    rule: 'What a guest has reserved beyond the limit at once is released',
    file: 'vendor/checkout/reservations.ts',
    text: 'if (!isHeld) await releaseStock(tx, reservationOf(cartId));',
    replacement: '',
    tests: [reservations],
  },
  {
    rule: 'A reservation by the shopper beyond the limit is refused',
    file: 'vendor/checkout/reservations.ts',
    text: 'if (!isHeld) await rejectAboveLimit(tx, limited.limit);',
    replacement: '',
    tests: [units, reservations],
  },
  {
    rule: 'The row of a reservation stays as long as the reservation',
    file: 'vendor/checkout/guest-units.ts',
    text: "reservedUnits('cart', 'ended.cart_id')",
    replacement: "'0'",
    tests: [reservations],
  },
  {
    rule: 'A gift card does not take an order out of the limit',
    file: 'vendor/checkout/cart.ts',
    text: 'return !isHeld && due > 0;',
    replacement: 'return !isHeld && due === sale.totals.total;',
    tests: [tenders],
  },
  {
    rule: 'An order of which a gift card has paid a part goes on counting',
    file: 'vendor/order/store.ts',
    text: "in ('unpaid', 'voided', 'partially_paid')",
    replacement: "in ('unpaid', 'voided')",
    tests: [tenders],
  },
  {
    rule: 'Money beside a gift card, or an authorization, ends the count',
    file: 'vendor/payment/tenders.ts',
    text: "and (payments.status = 'authorized' or payments.captured_amount > 0)",
    replacement: 'and false',
    tests: [tenders],
  },
  {
    rule: 'A cart whose items are replaced by none holds no reserved stock',
    file: 'vendor/cart/replacing.ts',
    text: 'if (items.length === 0) await releaseHeld(tx, id);',
    replacement: '',
    tests: ['vendor/checkout/test/reservations.test.ts'],
  },
  {
    rule: 'A cart that is merged at a log-in holds no reserved stock',
    file: 'vendor/checkout/reservations.ts',
    text: '(tx, { fromId }) => releaseStock(tx, reservationOf(fromId));',
    replacement: '() => Promise.resolve();',
    tests: ['vendor/checkout/test/reservations.test.ts'],
  },
  {
    rule: 'An unpaid order with a discount counts as one unit at least',
    file: 'vendor/checkout/guest-units.ts',
    text: 'tenderNames(db), takesUses ? 1 : 0];',
    replacement: 'tenderNames(db), 0];',
    tests: [units],
  },
  {
    rule: 'Refunded units in a parcel, or shipped, do not return to stock',
    file: 'vendor/fulfillment/units.ts',
    text: 'Math.max(packed, quantity - writtenOffQuantity - refunded)',
    replacement: 'quantity - writtenOffQuantity - refunded',
    tests: [restocking],
  },
  {
    rule: 'What was returned to stock before is not returned again with a refund',
    file: 'vendor/fulfillment/units.ts',
    text: 'Math.max(0, heldUnitsOf(line) - needed)',
    replacement: 'Math.max(0, Math.min(refunded, quantity - needed))',
    tests: [restocking],
  },
  {
    rule: 'A refund returns stock once it has succeeded',
    file: 'vendor/payment/refund-store.ts',
    text: "step.id = refunds.id\n            and step.status = 'succeeded'",
    replacement: 'step.id = refunds.id',
    tests: [restocking],
  },
  {
    rule: 'A refund with restock false returns no stock',
    file: 'vendor/payment/refund-store.ts',
    text: 'refunds.order_id = $2 and refunds.restock',
    replacement: 'refunds.order_id = $2',
    tests: [restocking],
  },
  {
    rule: 'A refund of an amount returns no stock',
    file: 'vendor/payment/refund-store.ts',
    text: 'restock && plan.parts.some(({ lineItemId, quantity }) => lineItemId !== null && quantity > 0)',
    replacement: 'restock',
    tests: [restocking],
  },
  {
    rule: 'Refunded units of a parcel are not kept for another one',
    file: 'vendor/fulfillment/service.ts',
    text: 'await restockRefunded(tx, orderId, await findOrderUnits(tx, [orderId]));',
    replacement: '',
    tests: [restocking],
  },
  {
    rule: 'Refunded units return with the lines of the order locked',
    file: 'vendor/fulfillment/restocking.ts',
    text: 'restockRefunded(tx, orderId, await lockOrderLines(tx, orderId))',
    replacement: 'restockRefunded(tx, orderId, await lockOrderLines(db, orderId))',
    tests: [restocking],
  },
  {
    rule: 'The timeline names an order that was refunded without its units',
    file: 'vendor/payment/bookkeeping.ts',
    text: "status !== 'placed' || paymentStatus !== 'refunded' || fulfillmentStatus === 'fulfilled'",
    replacement: "status === 'placed' || paymentStatus !== 'refunded'",
    tests: [restocking],
  },
  {
    rule: 'Units that were sold untracked do not return',
    file: 'vendor/inventory/returning.ts',
    text: '      join taken on taken',
    replacement: '      left join taken on taken',
    tests: [returning],
  },
  {
    rule: 'No more returns than was taken',
    file: 'vendor/inventory/returning.ts',
    text: 'least(line.quantity, taken.quantity) as quantity',
    replacement: 'line.quantity',
    tests: [returning],
  },
  {
    rule: 'What was taken returns, though its item is not tracked any more',
    file: 'vendor/inventory/returning.ts',
    text: 'items.id = any($7::uuid[])\n     order by levels.stock_item_id',
    replacement: 'items.id = any($7::uuid[]) and items.tracked\n     order by levels.stock_item_id',
    tests: [returning, held],
  },
  {
    rule: 'Units that were written off do not return with the order or a parcel',
    file: 'vendor/order/units.ts',
    text: 'quantity - restockedQuantity - writtenOffQuantity',
    replacement: 'quantity - restockedQuantity - 0 * writtenOffQuantity',
    tests: [held],
  },
  {
    rule: 'What a canceled parcel returns is held by the order and needed by no other parcel',
    file: 'vendor/fulfillment/units.ts',
    text: 'Math.min(inParcel, Math.max(0, heldUnitsOf(line) - others))',
    replacement: 'inParcel + 0 * others',
    tests: [held],
  },
  {
    rule: 'Units whose stock has returned before are not written off',
    file: 'vendor/order/units.ts',
    text: 'Math.min(quantity, Math.max(0, heldUnitsOf(line) - left))',
    replacement: 'quantity + 0 * left',
    tests: [held],
  },
  {
    rule: 'A failed refund writes nothing off',
    file: 'vendor/order/refunds.ts',
    text: 'writtenOffQuantity: -writtenOffQuantity,',
    replacement: 'writtenOffQuantity: 0 * writtenOffQuantity,',
    tests: [held],
  },
  {
    rule: 'What is written off is decided with the lines locked',
    file: 'vendor/order/refunds.ts',
    text: 'if (!restock) await lockOrderLines(tx, orderId);',
    replacement: '',
    tests: [held],
  },
];
