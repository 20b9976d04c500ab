/**
 * Events of order. They carry no personal data: whoever may read it asks for the order.
 */
import { defineEvent, nullable, object, type Static, Type, Uuid } from '@carton/runtime';

const OrderFact = object({
  number: Type.String(),
  status: Type.String(),
  paymentStatus: Type.String(),
  fulfillmentStatus: Type.String(),
  currency: Type.String(),
  totalAmount: Type.Integer({ description: 'Minor units' }),
  memberId: nullable(Uuid),
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
