/**
 * Events of cart. No personal data: whoever needs it reads the cart.
 */
import { Currency, defineEvent, nullable, object, Type, Uuid } from '@carton/runtime';

const fact = {
  memberId: nullable(Uuid),
  regionId: nullable(Uuid),
  currency: Currency,
  /** Pieces, all lines together. */
  itemCount: Type.Integer(),
};

export const cartCreated = defineEvent({
  type: 'cart.created',
  summary: 'A shopper began a cart',
  payload: object(fact),
});
export const cartUpdated = defineEvent({
  type: 'cart.updated',
  summary: 'Lines, details or an address of a cart have changed',
  payload: object(fact),
});
export const cartMerged = defineEvent({
  type: 'cart.merged',
  summary: "A guest's cart went into the cart of a member",
  payload: object({ ...fact, mergedCartId: Uuid }),
});
