/**
 * Shapes of checkout: the contract's CheckoutDto, and what still stands between a cart and an order.
 */
import { Cart } from '@carton/cart';
import { OrderAddress } from '@carton/order';
import { Email, object, oneOf, type Static, Type } from '@carton/runtime';

export const Checkout = object(
  {
    customer: object({
      email: Email,
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: ['Ada Lovelace'] })),
      phone: Type.Optional(Type.String({ minLength: 1, maxLength: 50, examples: ['+33 1 23 45 67 89'] })),
      address: Type.Optional(OrderAddress),
      billing: Type.Optional(OrderAddress),
    }),
    notes: Type.Optional(Type.String({ maxLength: 2000, examples: ['Please ring twice'] })),
    paymentMethod: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'A method of the bound payment adapter' }),
    ),
  },
  { $id: 'Checkout' },
);
export type Checkout = Static<typeof Checkout>;

export const requirementCodes = ['cart_empty', 'item_unavailable', 'item_unpriced', 'insufficient_stock'] as const;

export const CheckoutPreview = object(
  {
    cart: Cart,
    ready: Type.Boolean({ description: 'Whether POST /checkout would place the order' }),
    requirements: Type.Array(
      object(
        { code: oneOf(requirementCodes), detail: Type.String() },
        { $id: 'CheckoutRequirement', description: 'What is still missing' },
      ),
    ),
  },
  { $id: 'CheckoutPreview' },
);
