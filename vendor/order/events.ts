/**
 * Events of orders. They carry no personal data: consumers with access read the order.
 */
import { type DispatchedEvent, defineEvent, object, type Static, Type } from '@carton/runtime';
import { AdminOrder } from './schemas.ts';

const { number, status, paymentStatus, fulfillmentStatus, currency, memberId } = AdminOrder.properties;
const OrderPayload = object({
  number,
  status,
  paymentStatus,
  fulfillmentStatus,
  currency,
  totalAmount: Type.Integer({ description: 'Minor units' }),
  memberId,
});
export type OrderPayload = Static<typeof OrderPayload>;

export const orderPlaced = defineEvent({ type: 'order.placed', summary: 'An order was placed', payload: OrderPayload });
export const orderHeld = defineEvent({
  type: 'order.held',
  summary: 'An order with stock was held until its payment; `order.placed` or `order.canceled` follows',
  payload: OrderPayload,
  formerly: [{ type: 'order.pending' }],
});
export const orderUpdated = defineEvent({
  type: 'order.updated',
  summary: 'An order or its payment status changed',
  payload: OrderPayload,
});
export const orderChargesChanged = defineEvent({
  type: 'order.charges_changed',
  summary: 'Charges of an order were replaced, such as the fee of its payment method; `totalAmount` is the new total',
  payload: OrderPayload,
});
export const orderCancellationAnnounced = defineEvent({
  type: 'order.cancellation_announced',
  summary: 'An unpaid order will be canceled at its `payBy`, in a day',
  payload: OrderPayload,
  formerly: [{ type: 'order.payment_due' }],
});
export const orderCanceled = defineEvent({
  type: 'order.canceled',
  summary: 'An order was canceled and restocked',
  payload: OrderPayload,
});

export const orderUnitsCanceled = defineEvent({
  type: 'order.units_canceled',
  summary: 'Units of which nothing is left to refund were taken out of an order; no money moved',
  payload: OrderPayload,
});

/** The payload of an order's events, from any object with these properties. */
export function payloadOf(order: OrderPayload): OrderPayload {
  const { number, status, paymentStatus, fulfillmentStatus, currency, totalAmount, memberId } = order;
  return { number, status, paymentStatus, fulfillmentStatus, currency, totalAmount, memberId };
}

/** Whether the event says that an order was placed and is not paid: most are paid later, one with a total of zero never. */
export function isPlacedUnpaid({ type, payload }: Pick<DispatchedEvent, 'type' | 'payload'>): boolean {
  return type === orderPlaced.type && (payload as OrderPayload).paymentStatus !== 'paid';
}

/** Id of the order that an event of an order concerns, or one that names it in its payload, as those of payments do. */
export function orderOfEvent({ resource, payload }: Pick<DispatchedEvent, 'resource' | 'payload'>): string {
  return (payload as { orderId?: string }).orderId ?? resource.id;
}
