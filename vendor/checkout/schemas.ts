/**
 * Shapes of checkout: the contract's CheckoutDto, what still stands between a cart and an order, and the settings.
 */
import { Cart } from '@carton/cart';
import { StoreSettings } from '@carton/core';
import { OrderAddress } from '@carton/order';
import { changeOf, Email, object, oneOf, type Static, Type } from '@carton/runtime';

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
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'A method of the bound payment adapters',
        examples: ['card'],
      }),
    ),
  },
  { $id: 'Checkout' },
);
export type Checkout = Static<typeof Checkout>;

export const requirementCodes = [
  'cart_empty',
  'item_unavailable',
  'item_unpriced',
  'insufficient_stock',
  'guest_checkout_off',
] as const;

const { guestCheckout, checkoutRequires, updatedAt } = StoreSettings.properties;
/** They are settings of the store, under the names they have there. */
export const CheckoutSettings = object({ guestCheckout, checkoutRequires, updatedAt }, { $id: 'CheckoutSettings' });
export const ChangeCheckoutSettings = changeOf({ guestCheckout, checkoutRequires }, { $id: 'ChangeCheckoutSettings' });

export const CheckoutPreview = object(
  {
    cart: Cart,
    ready: Type.Boolean({
      description: 'Whether POST /checkout would place the order, told the e-mail address and what `asks` names',
    }),
    asks: {
      ...checkoutRequires,
      description: 'What else POST /checkout has to be told, because the cart does not say',
    },
    requirements: Type.Array(
      object(
        { code: oneOf(requirementCodes), detail: Type.String({ examples: ['The cart is empty.'] }) },
        { $id: 'CheckoutRequirement', description: 'What is still missing' },
      ),
    ),
  },
  { $id: 'CheckoutPreview' },
);
