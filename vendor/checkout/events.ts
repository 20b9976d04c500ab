/**
 * Events of checkout. Their resource is the cart; they carry no personal data.
 */
import { defineEvent, object, Type, Uuid } from '@carton/runtime';

export const checkoutCompleted = defineEvent({
  type: 'checkout.completed',
  summary: 'A cart became an order, which may be pending',
  payload: object({
    orderId: Uuid,
    number: Type.String(),
    currency: Type.String(),
    totalAmount: Type.Integer({ description: 'Minor units' }),
  }),
});
export const checkoutFailed = defineEvent({
  type: 'checkout.failed',
  summary: 'A checkout failed; published once for consecutive failures with the same code',
  payload: object({ code: Type.String({ description: 'Code of the problem returned' }) }),
});
