/**
 * Events of promotion.
 */
import { DateTime, defineEvent, Money, nullable, object, resourceEvents, Type, Uuid } from '@carton/runtime';

export const promotionEvents = resourceEvents({
  type: 'promotion',
  noun: 'promotion',
  payload: object({
    status: Type.String(),
    automatic: Type.Boolean(),
    startsAt: nullable(DateTime),
    endsAt: nullable(DateTime),
  }),
});

export const promotionUsed = defineEvent({
  type: 'promotion.used',
  summary: 'An order used a promotion',
  payload: object({ orderId: Uuid, code: nullable(Type.String()), amount: Money }),
});
