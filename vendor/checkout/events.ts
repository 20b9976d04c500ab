/**
 * Events of checkout. They are of the cart, and carry no personal data.
 */
import { defineEvent, object, Type, Uuid } from '@carton/runtime';

export const checkoutCompleted = defineEvent({
  type: 'checkout.completed',
  summary: 'A cart has become an order',
  payload: object({
    orderId: Uuid,
    number: Type.String(),
    currency: Type.String(),
    totalAmount: Type.Integer({ description: 'Minor units' }),
  }),
});
export const checkoutFailed = defineEvent({
  type: 'checkout.failed',
  summary: 'A checkout was refused; told once for each reason in a row',
  payload: object({ code: Type.String({ description: 'Of the problem that was answered' }) }),
});
