/**
 * Events of promotion.
 */
import { DateTime, defineEvent, Money, nullable, object, Type, Uuid } from '@carton/runtime';

export const promotionUpdated = defineEvent({
  type: 'promotion.updated',
  summary: 'A promotion was created, changed or deleted',
  payload: object({
    label: Type.String(),
    status: Type.String(),
    automatic: Type.Boolean(),
    startsAt: nullable(DateTime),
    endsAt: nullable(DateTime),
    deleted: Type.Boolean(),
  }),
});

export const promotionUsed = defineEvent({
  type: 'promotion.used',
  summary: 'An order used a promotion',
  payload: object({ orderId: Uuid, code: nullable(Type.String()), amount: Money }),
});
