/**
 * Mutations of the rules of orders that wait for their payment, pending or unpaid.
 */
import type { Mutation } from '../mutation.ts';

const orders = 'vendor/checkout/test/pending-orders.test.ts';
const ends = 'vendor/checkout/test/pending-ends.test.ts';
const unpaid = 'vendor/checkout/test/unpaid-orders.test.ts';
const returned = 'vendor/checkout/test/returned-carts.test.ts';

export const pending: readonly Mutation[] = [
  {
    rule: 'A pending order is looked up for its own shopper only',
    file: 'vendor/checkout/ordering/reading.ts',
    text: "order.payment?.status === 'pending' && isPlacedBy(order, session);",
    replacement: "order.payment?.status === 'pending';",
    tests: [orders],
  },
  {
    rule: 'A provider is asked about a pending payment once in some seconds',
    file: 'vendor/payment/sessions/store.ts',
    text: 'coalesce(looked_up_at < now() - make_interval(secs => $3), true)',
    replacement: '$3::integer is not null',
    tests: [orders],
  },
  {
    rule: 'An order whose payment is not authorized is not placed',
    file: 'vendor/payment/sessions/service.ts',
    text: "const isHeld = state.status === 'authorized'",
    replacement: "const isHeld = state.status === 'pending' || state.status === 'authorized'",
    tests: [orders],
  },
  {
    rule: 'Authorization places a pending order',
    file: 'vendor/payment/payments/bookkeeping.ts',
    text: 'await placePending(tx, order);',
    replacement: '',
    tests: [orders],
  },
  {
    rule: 'The authorization of a replaced payment places no order',
    file: 'vendor/payment/payments/bookkeeping.ts',
    text: "if (isHeld && (await findPendingStep(tx, payment.id))?.type === 'void') return false;",
    replacement: '',
    tests: [ends],
  },
  {
    rule: 'The provider is asked before a pending order is canceled',
    file: 'vendor/payment/sessions/pending.ts',
    text: "!(isOver && status === 'pending')",
    replacement: 'true',
    tests: [ends],
  },
  {
    rule: 'A late report of a failed attempt cancels no order',
    file: 'vendor/payment/sessions/lookup.ts',
    text: "if (isTriedAgain) await updatePayment(tx, id, { status: 'pending' });",
    replacement: '',
    tests: [ends],
  },
  {
    rule: 'Only the shopper of a pending order reads the next action',
    file: 'vendor/checkout/ordering/reading.ts',
    text: 'payment: payment && { ...payment, nextAction: null }',
    replacement: 'payment',
    tests: [orders],
  },
  {
    rule: 'An order that was placed is not canceled as pending',
    file: 'vendor/order/states/canceling.ts',
    text: 'canceled.pendingUntil === null || ',
    replacement: '',
    tests: ['vendor/order/test/pending.test.ts'],
  },
  {
    rule: 'A pending order has no parcel',
    file: 'vendor/fulfillment/parcels/packing.ts',
    text: "if (lines[0]?.orderStatus === 'pending') throw orderAwaitsPayment();",
    replacement: '',
    tests: [orders],
  },
  {
    rule: 'A pending order has no invoice',
    file: 'vendor/invoice/service.ts',
    text: "if (state.status === 'pending') throw invoiceNotPossible('The order waits for its payment.');",
    replacement: '',
    tests: [orders],
  },
  {
    rule: 'Nothing is mailed about an order that was not placed',
    file: 'vendor/order/notices/mails.ts',
    text: 'if (!order?.wasPlaced) return null;',
    replacement: 'if (!order) return null;',
    tests: [ends],
  },
  {
    rule: 'The lines of a pending order return once, and not into a new cart with lines',
    file: 'vendor/cart/orders/returning.ts',
    text: 'active === null || active.lines.length > 0',
    replacement: 'active === null',
    tests: [ends],
  },
  {
    rule: 'The codes of a pending order return with its lines',
    file: 'vendor/promotion/uses/placing.ts',
    text: "source.type === 'cart' && !pendingUntil && shown",
    replacement: "source.type === 'cart' && shown",
    tests: [ends],
  },
  {
    rule: 'An order that is paid by hand waits for staff',
    file: 'vendor/checkout/ordering/cart.ts',
    text: 'payBy: isByHand ? null : afterMinutes(unpaidOrderMinutes)',
    replacement: 'payBy: afterMinutes(unpaidOrderMinutes)',
    tests: [unpaid],
  },
  {
    rule: 'An order that staff have acted on waits for them',
    file: 'vendor/order/timeline/store.ts',
    text: 'if (inside.actor) await keepUnpaid(inside, orderId);',
    replacement: '',
    tests: [unpaid],
  },
  {
    rule: 'Existing stores keep waiting for unpaid orders',
    file: 'vendor/checkout/settings.ts',
    text: 'defaultVersion >= 2',
    replacement: 'defaultVersion >= 0',
    tests: [unpaid],
  },
  {
    rule: 'What a pending order gives back follows the guest who logs in',
    file: 'vendor/cart/guests/merging.ts',
    text: 'if (ids.length > 0) await handOverCarts(tx, ids, memberId);',
    replacement: '',
    tests: [returned],
  },
  {
    rule: 'The cart of a placed order does not follow a log-in',
    file: 'vendor/checkout/ordering/returning.ts',
    text: 'unplaced.has(orderId)',
    replacement: "(unplaced.has(orderId) || orderId !== '')",
    tests: [returned],
  },
  {
    rule: 'A cart is given back in one transaction',
    file: 'vendor/checkout/ordering/returning.ts',
    text: 'await db.transaction((tx) => returnToCart(tx, { cartId, memberId, lines }));',
    replacement: 'await returnToCart(db, { cartId, memberId, lines });',
    tests: [returned],
  },
  {
    rule: 'Only its shopper starts a payment of a pending order',
    file: 'vendor/payment/orders/service.ts',
    text: "if (order.status === 'pending' && !isShopper)",
    replacement: "if (order.status === 'canceled' && !isShopper)",
    tests: ['vendor/checkout/test/pending-orders.test.ts'],
  },
  {
    rule: 'Only the session whose cart was ordered learns the order from a second checkout',
    file: 'vendor/cart/orders/store.ts',
    text: "session_hash = $2 and status = 'completed'",
    replacement: "$2::text is not null and status = 'completed'",
    tests: ['vendor/checkout/test/races.test.ts'],
  },
];
