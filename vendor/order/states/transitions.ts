/**
 * The three states of an order and every change of them. Code that changes a state calls
 * `requireTransition` with the order locked. `npm run documentation` draws docs/order-states.svg from the table.
 */
import { fulfillmentStatuses, orderStatuses, paymentStatuses } from '../schemas.ts';
import type { OrderState } from '../store.ts';
import {
  orderAlreadyCanceled,
  orderAwaitsPayment,
  orderFulfillmentStarted,
  orderTransitionIllegal,
} from './problems.ts';

/** The states of an order; the three are independent, except for the conditions of a transition. */
export type OrderStates = Pick<OrderState, 'status' | 'paymentStatus' | 'fulfillmentStatus'>;

/** A change of one state. */
export interface Transition<Name extends keyof OrderStates = keyof OrderStates> {
  state: Name;
  from: OrderStates[Name];
  to: OrderStates[Name];
  /** States that the order must have besides. */
  requires?: Partial<OrderStates>;
}

/**
 * The values of each state. The first is that of a new order; one that need not wait for its payment is placed at once,
 * and one with a total of zero is `paid`.
 */
export const orderStates = {
  status: orderStatuses,
  paymentStatus: paymentStatuses,
  fulfillmentStatus: fulfillmentStatuses,
} as const;

function between<Name extends keyof OrderStates>(
  state: Name,
  sources: readonly OrderStates[Name][],
  targets: readonly OrderStates[Name][],
  requires?: Partial<OrderStates>,
): Transition[] {
  return sources.flatMap((from) =>
    targets.filter((to) => to !== from).map((to) => ({ state, from, to, ...(requires && { requires }) })),
  );
}

const notRefunded = ['unpaid', 'authorized', 'partially_paid', 'paid', 'voided'] as const;
const received = ['partially_paid', 'paid'] as const;
const refunded = ['partially_refunded', 'refunded'] as const;

/** The table. A transition that is not in it is refused with 409. */
export const transitions: readonly Transition[] = [
  // Authorization of its payment places an order.
  ...between('status', ['pending'], ['placed']),
  // What has been shipped comes back as a return.
  ...between('status', ['pending', 'placed'], ['canceled'], { fulfillmentStatus: 'unfulfilled' }),
  // Without refunds the state follows the money: an authorization is voided, a payment by hand taken back.
  ...between('paymentStatus', notRefunded, notRefunded),
  // Only received money is refunded. A refund is final: what it took off the order is not paid again. After a refund of all
  // that was received, the rest of the order can still be paid.
  ...between('paymentStatus', received, refunded),
  ...between('paymentStatus', refunded, refunded),
  // The state is computed from the parcels, and a parcel can be canceled. Only a placed order is shipped.
  ...between('fulfillmentStatus', fulfillmentStatuses, fulfillmentStatuses, { status: 'placed' }),
];

const nameOf: Readonly<Record<keyof OrderStates, string>> = {
  status: 'status',
  paymentStatus: 'payment status',
  fulfillmentStatus: 'fulfillment status',
};

/**
 * Requires that a locked order may change a state. A state that stays as it is needs no transition, except that an order
 * is canceled only once.
 * @throws order_already_canceled, order_pending, order_fulfillment_started, order_transition_illegal (409)
 */
export function requireTransition<Name extends keyof OrderStates>(
  order: OrderStates,
  state: Name,
  to: OrderStates[Name],
): void {
  const from = order[state];
  if (state === 'status' && from === 'canceled' && to === 'canceled') throw orderAlreadyCanceled();
  if (from === to) return;
  const transition = transitions.find((each) => each.state === state && each.from === from && each.to === to);
  if (!transition) {
    throw orderTransitionIllegal(`The ${nameOf[state]} of the order cannot change from ${from} to ${to}.`);
  }
  const { status, fulfillmentStatus } = { ...order, ...transition.requires };
  if (status !== order.status) throw order.status === 'pending' ? orderAwaitsPayment() : orderAlreadyCanceled();
  if (fulfillmentStatus !== order.fulfillmentStatus) {
    throw orderFulfillmentStarted('Use a return for items that have been shipped.');
  }
}
