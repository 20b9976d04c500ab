/**
 * Events of disputes.
 */
import { DateTime, defineEvent, nullable, object, oneOf, Type, Uuid } from '@carton/runtime';
import { disputeStates } from '../schemas.ts';

const dispute = object({
  orderId: Uuid,
  paymentId: Uuid,
  status: oneOf(disputeStates),
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
