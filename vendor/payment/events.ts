/**
 * Events of payment. Each is of a payment, and tells how much of it moved.
 */
import { defineEvent, object, Type, Uuid } from '@carton/runtime';

const payload = object({
  orderId: Uuid,
  provider: Type.String(),
  method: Type.String(),
  amount: Type.Integer({ description: 'Minor units' }),
  currency: Type.String(),
});

export const paymentAuthorized = defineEvent({
  type: 'payment.authorized',
  summary: 'A provider holds money for an order',
  payload,
});
export const paymentCaptured = defineEvent({
  type: 'payment.captured',
  summary: 'Money of a payment was received',
  payload,
});
export const paymentFailed = defineEvent({
  type: 'payment.failed',
  summary: 'A payment of an order failed',
  payload,
});
export const paymentVoided = defineEvent({
  type: 'payment.voided',
  summary: 'What was authorized and not captured was given up',
  payload,
});
export const refundCreated = defineEvent({
  type: 'refund.created',
  summary: 'Money of a payment was given back',
  payload,
});
