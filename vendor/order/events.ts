/**
 * Events of order. They carry no personal data: whoever may read it asks for the order.
 */
import { defineEvent, object, type Static, Type } from '@carton/runtime';
import { AdminOrder } from './schemas.ts';

const { number, status, paymentStatus, fulfillmentStatus, currency, memberId } = AdminOrder.properties;
const OrderFact = object({
  number,
  status,
  paymentStatus,
  fulfillmentStatus,
  currency,
  totalAmount: Type.Integer({ description: 'Minor units' }),
  memberId,
});
export type OrderFact = Static<typeof OrderFact>;

export const orderPlaced = defineEvent({ type: 'order.placed', summary: 'An order was placed', payload: OrderFact });
export const orderUpdated = defineEvent({
  type: 'order.updated',
  summary: 'An order, or the state of its payment, has changed',
  payload: OrderFact,
});
export const orderCanceled = defineEvent({
  type: 'order.canceled',
  summary: 'An order was canceled and its stock returned',
  payload: OrderFact,
});

/** What an event tells of an order; of anything that has these properties. */
export function factOf(order: OrderFact): OrderFact {
  const { number, status, paymentStatus, fulfillmentStatus, currency, totalAmount, memberId } = order;
  return { number, status, paymentStatus, fulfillmentStatus, currency, totalAmount, memberId };
}
