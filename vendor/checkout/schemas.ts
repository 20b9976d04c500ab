/**
 * Shapes of checkout: the contract's CheckoutDto, and what still stands between a cart and an order.
 */
import { Cart } from '@carton/cart';
import { StoreSettings } from '@carton/core';
import { OrderAddress, Phone } from '@carton/order';
import { DateTime, Email, Money, object, type Static, Type } from '@carton/runtime';

export const Checkout = object(
  {
    customer: object({
      email: Email,
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: ['Ada Lovelace'] })),
      phone: Type.Optional(Phone),
      address: Type.Optional(OrderAddress),
      billing: Type.Optional(OrderAddress),
    }),
    notes: Type.Optional(Type.String({ maxLength: 2000, examples: ['Please ring twice'] })),
    expectedTotal: Type.Optional(Money),
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

/** @param codes that steps of the box declare */
const previewOf = (codes: readonly string[]) =>
  object(
    {
      cart: Cart,
      tenders: Type.Array(
        object(
          {
            tender: Type.String({ examples: ['gift_card'] }),
            label: Type.String({ examples: ['Gift card ending in 4711'] }),
            amount: Money,
          },
          { $id: 'CheckoutTender' },
        ),
        { description: 'What pays for it besides a payment method, in the order in which it is drained' },
      ),
      left: Money,
      ready: Type.Boolean({
        description: 'Whether POST /checkout would place the order, told the e-mail address and what `asks` names',
      }),
      asks: {
        ...StoreSettings.properties.checkoutRequires,
        description: 'What else POST /checkout has to be told, because the cart does not say',
      },
      paymentRequired: Type.Boolean({ description: 'Whether POST /checkout has to name a payment method' }),
      requirements: Type.Array(
        object(
          { code: requirementCode(codes), detail: Type.String({ examples: ['The cart holds nothing.'] }) },
          { $id: 'CheckoutRequirement', description: 'What is still missing' },
        ),
      ),
    },
    {
      $id: 'CheckoutPreview',
      description: '`tenders` pay for the cart before a payment method does; `left` is what they leave to be paid',
    },
  );

/** Open: a package that is mounted later brings codes of its own. */
function requirementCode(codes: readonly string[]) {
  const known = codes.length > 0 ? `: ${codes.map((code) => `\`${code}\``).join(', ')}` : '';
  return Type.String({ description: `Stable, for programs${known}`, examples: ['cart_empty'] });
}

export const CheckoutPreview = previewOf([]);
/** The preview as a box answers it. */
export const checkoutPreviewOf = (codes: readonly string[]): typeof CheckoutPreview => previewOf(codes);

export const CheckoutReservation = object(
  { endsAt: { ...DateTime, description: 'Until then the stock of the cart is held' } },
  { $id: 'CheckoutReservation' },
);
