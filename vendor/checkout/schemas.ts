/**
 * Schemas of checkout: the contract's CheckoutDto, and the preview of an order.
 */
import { Cart, cartSchema } from '@carton/cart';
import { StoreSettings } from '@carton/core';
import {
  AddressOrNull,
  type OrderAddress,
  OrderResource,
  Phone,
  ReportedAttribution,
  TermsVersion,
} from '@carton/order';
import { OrderPayment } from '@carton/payment';
import {
  DateTime,
  Email,
  type HasExtensions,
  Money,
  nullable,
  object,
  type Static,
  TaxNumber,
  Type,
  withOptions,
} from '@carton/runtime';

const PaymentMethod = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A payment method of the configured adapters',
  examples: ['card'],
});

export const Checkout = object(
  {
    customer: object({
      email: Email,
      name: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 200, examples: ['Ada Lovelace'] }))),
      phone: Type.Optional(nullable(Phone)),
      address: Type.Optional(AddressOrNull),
      billing: Type.Optional(AddressOrNull),
      taxNumber: Type.Optional(nullable(TaxNumber)),
    }),
    notes: Type.Optional(Type.String({ maxLength: 2000, examples: ['Please ring twice'] })),
    expectedTotal: Type.Optional(Money),
    attribution: Type.Optional(nullable(ReportedAttribution)),
    terms: Type.Optional(
      object({ version: TermsVersion }, { $id: 'AcceptTerms', description: 'Consent to this version of the terms' }),
    ),
    paymentMethod: Type.Optional(nullable(PaymentMethod)),
  },
  { $id: 'Checkout' },
);
/** The body as it was sent. */
export type SentCheckout = Static<typeof Checkout>;

type Details = Omit<SentCheckout['customer'], 'address' | 'billing'> & {
  address?: OrderAddress | undefined;
  billing?: OrderAddress | undefined;
};
/** The body as it is stored and priced: without the texts that are blank (`writtenCheckout`). */
export type Checkout = Omit<SentCheckout, 'customer' | 'notes' | 'paymentMethod'> & {
  customer: Details;
  notes?: string | undefined;
  paymentMethod?: string | undefined;
};

/** An order with its payment. */
export const PlacedOrder = object(
  { ...OrderResource.properties, payment: nullable(OrderPayment) },
  {
    $id: 'CheckoutOrder',
    description: `${OrderResource.description} \`payment\` is the one by a provider that was started last; null without one.`,
  },
);

export const CheckoutPreviewQuery = object({
  paymentMethod: Type.Optional(
    withOptions(PaymentMethod, {
      description: 'The method that the order will be paid by: its fee is part of the total',
    }),
  ),
});

/** @param codes that steps of the box declare */
const previewOf = (codes: readonly string[], cart: typeof Cart) =>
  object(
    {
      cart,
      tenders: Type.Array(
        object(
          {
            tender: Type.String({ examples: ['gift_card'] }),
            label: Type.String({ examples: ['Gift card ending in 4711'] }),
            amount: Money,
          },
          { $id: 'CheckoutTender' },
        ),
        { description: 'Gift cards and other credit that pay before a payment method, in the order of use' },
      ),
      left: Money,
      ready: Type.Boolean({
        description:
          'Whether `POST /checkout` would place the order if sent the e-mail address, the fields in `asks`, and the terms and payment method it requires. An order that a guest does not pay at once can still exceed `unpaid_units_limit`',
      }),
      asks: withOptions(StoreSettings.properties.checkoutRequires, {
        description: 'Further fields that `POST /checkout` needs because the cart lacks them',
      }),
      terms: nullable(
        object(
          {
            version: TermsVersion,
            required: Type.Boolean({ description: 'Whether `POST /checkout` needs `terms` with this version' }),
          },
          { $id: 'CheckoutTerms', description: 'The terms that the shopper is asked to accept' },
        ),
      ),
      paymentRequired: Type.Boolean({ description: 'Whether `POST /checkout` needs a payment method' }),
      requirements: Type.Array(
        object(
          {
            code: requirementCode(codes),
            detail: Type.String({ examples: ['The cart is empty.'] }),
            pointer: nullable(
              Type.String({
                description: 'JSON pointer to the field of `POST /checkout` that meets it; null if none does',
                examples: ['/customer/address'],
              }),
            ),
          },
          { $id: 'CheckoutRequirement', description: 'An unmet requirement of the order' },
        ),
      ),
    },
    {
      $id: 'CheckoutPreview',
      description: '`tenders` pay before a payment method does; `left` is the amount they leave to pay',
    },
  );

/** Not an enumeration, because packages added later bring their own codes. */
function requirementCode(codes: readonly string[]) {
  const known = codes.length > 0 ? `: ${codes.map((code) => `\`${code}\``).join(', ')}` : '';
  return Type.String({ description: `Stable code${known}`, examples: ['cart_empty'] });
}

export const CheckoutPreview = previewOf([], Cart);
/** The preview of a box, with the codes of its steps and the fields of its carts. */
export const checkoutPreviewOf = (box: HasExtensions, codes: readonly string[]): typeof CheckoutPreview =>
  previewOf(codes, cartSchema(box));

export const CheckoutReservation = object(
  { endsAt: withOptions(DateTime, { description: 'When the reservation expires' }) },
  { $id: 'CheckoutReservation' },
);
