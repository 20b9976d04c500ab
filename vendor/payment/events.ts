/**
 * Events of payment. Each concerns one payment and carries the amount that moved.
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
  summary: 'A provider has authorized a payment',
  payload,
});
export const paymentCaptured = defineEvent({
  type: 'payment.captured',
  summary: 'All or part of a payment was captured',
  payload,
});
export const paymentFailed = defineEvent({
  type: 'payment.failed',
  summary: 'A payment of an order failed',
  payload,
});
export const paymentVoided = defineEvent({
  type: 'payment.voided',
  summary: 'An authorization, or the rest of one, was voided',
  payload,
});
export const refundCreated = defineEvent({
  type: 'refund.created',
  summary: 'All or part of a payment was refunded',
  payload,
});
