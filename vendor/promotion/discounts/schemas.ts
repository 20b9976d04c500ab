/**
 * Schemas of what carts show of promotions, and of the codes that a sale chooses.
 */
import { Money, nullable, object, oneOf, Type } from '@carton/runtime';
import { TypedCode } from '../codes/schemas.ts';

/** Why a promotion or a code does not apply. */
export const reasons = [
  'unknown',
  'disabled',
  'not_started',
  'expired',
  'used_up',
  'region',
  'members_only',
  'first_order_only',
  'email_needed',
  'no_matching_items',
  'currency',
  'minimum_amount',
  'minimum_quantity',
  'same_promotion',
  'excluded',
  'nothing_left',
] as const;
export type Reason = (typeof reasons)[number];

export const PromotionChoice = object({ codes: Type.Array(TypedCode, { maxItems: 10 }) });

export const CartPromotion = object(
  {
    code: nullable(Type.String({ description: 'Null for an automatic promotion', examples: ['SUMMER'] })),
    label: nullable(Type.String({ description: 'Null for a code that no longer exists', examples: ['Summer sale'] })),
    applied: Type.Boolean(),
    amount: Money,
    reason: nullable(oneOf(reasons, { description: 'Why it does not apply; null if it does' })),
  },
  { $id: 'CartPromotion', description: '`amount` is what it takes off: zero or below' },
);
export const CartPromotions = Type.Array(CartPromotion, {
  description:
    'The codes of the cart, and the automatic promotions that apply or whose minimum is not reached yet, in the order ' +
    'in which they apply. Empty while the cart is',
});
