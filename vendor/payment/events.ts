/**
 * Events of payment.
 */
import { defineEvent, object, Type, Uuid } from '@carton/runtime';

export const paymentCaptured = defineEvent({
  type: 'payment.captured',
  summary: 'Money of a payment was received',
  payload: object({
    orderId: Uuid,
    provider: Type.String(),
    method: Type.String(),
    amount: Type.Integer({ description: 'Minor units' }),
    currency: Type.String(),
  }),
});
