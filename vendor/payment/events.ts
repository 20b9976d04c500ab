/**
 * Events of payment. Each concerns one payment and carries the amount that moved.
 */
import { DateTime, defineEvent, nullable, object, oneOf, Type, Uuid } from '@carton/runtime';
import { disputeStates } from './disputes/schemas.ts';

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

const dispute = object({
  orderId: Uuid,
  paymentId: Uuid,
  status: oneOf(disputeStates),
  reason: nullable(Type.String()),
  amount: Type.Integer({ description: 'Minor units' }),
  currency: Type.String(),
  respondBy: nullable(DateTime),
});

export const disputeOpened = defineEvent({
  type: 'dispute.opened',
  summary: "A shopper's bank disputes a payment, or inquires about it",
  payload: dispute,
});
export const disputeClosed = defineEvent({
  type: 'dispute.closed',
  summary: 'A dispute was won, lost, or closed without a decision',
  payload: dispute,
});
