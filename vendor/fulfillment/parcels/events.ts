/**
 * Events of parcels. They carry no personal data: consumers with access read the tracking numbers.
 */
import { defineEvent, object, oneOf, type Static, Type, Uuid } from '@carton/runtime';
import { fulfillmentStatuses } from './states.ts';

const FulfillmentPayload = object({
  orderId: Uuid,
  orderNumber: Type.String(),
  number: Type.Integer(),
  status: oneOf(fulfillmentStatuses),
  items: Type.Array(object({ lineItemId: Uuid, quantity: Type.Integer() })),
});
export type FulfillmentPayload = Static<typeof FulfillmentPayload>;

const define = (type: string, summary: string) => defineEvent({ type, summary, payload: FulfillmentPayload });

export const fulfillmentCreated = define('fulfillment.created', 'A parcel of an order is to be packed');
export const fulfillmentShipped = define('fulfillment.shipped', 'A parcel of an order was shipped');
export const fulfillmentDelivered = define('fulfillment.delivered', 'A parcel of an order was delivered');
export const fulfillmentCanceled = define(
  'fulfillment.canceled',
  'A parcel of an order was canceled before it was shipped',
);
