/**
 * Events of the cart package. They carry no personal data: consumers read the cart.
 */
import { Currency, defineEvent, nullable, object, Type, Uuid } from '@carton/runtime';

const payload = {
  memberId: nullable(Uuid),
  regionId: nullable(Uuid),
  currency: Currency,
  /** Total quantity of all lines. */
  itemCount: Type.Integer(),
};

export const cartCreated = defineEvent({
  type: 'cart.created',
  summary: 'A cart was created',
  payload: object(payload),
});
export const cartUpdated = defineEvent({
  type: 'cart.updated',
  summary: 'Lines, details or an address of a cart changed',
  payload: object(payload),
});
export const cartMerged = defineEvent({
  type: 'cart.merged',
  summary: "A guest's cart was merged into the cart of a member",
  payload: object({ ...payload, mergedCartId: Uuid }),
});
