/**
 * Schemas of orders for shoppers and staff.
 */
import {
  DateTime,
  externalFields,
  integrationPageOf,
  Locale,
  Money,
  nullable,
  object,
  oneOf,
  pageOf,
  type Static,
  Tag,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';

export const orderStatuses = ['pending', 'placed', 'canceled'] as const;
/** Those in the table. A pending order is stored as placed, with `pending_until`. */
export const storedStatuses = ['placed', 'canceled'] as const;
export const paymentStatuses = [
  'unpaid',
  'authorized',
  'partially_paid',
  'paid',
  'partially_refunded',
  'refunded',
  'voided',
] as const;
export const fulfillmentStatuses = ['unfulfilled', 'partially_fulfilled', 'fulfilled'] as const;
/** Parts of an order's total besides lines and taxes. */
export const adjustmentKinds = ['discount', 'shipping', 'credit'] as const;
export type AdjustmentKind = (typeof adjustmentKinds)[number];

export const Status = oneOf(orderStatuses, {
  description: '`pending`: waits for its payment, and is placed by it or canceled',
  examples: ['placed'],
});
export const PaymentStatus = oneOf(paymentStatuses, { examples: ['unpaid'] });
export type PaymentStatus = (typeof paymentStatuses)[number];
export const FulfillmentStatus = oneOf(fulfillmentStatuses, { examples: ['unfulfilled'] });
const OrderNumber = Type.String({ description: "In the store's format of order numbers", examples: ['1001'] });
export const Phone = Type.String({ minLength: 1, maxLength: 50, examples: ['+33 1 23 45 67 89'] });

const addressForms = [
  { type: 'string', minLength: 1, maxLength: 1000 },
  {
    type: 'object',
    minProperties: 1,
    maxProperties: 30,
    additionalProperties: { anyOf: [{ type: 'string', maxLength: 500 }, { type: 'null' }] },
  },
];
const addressOptions = {
  description:
    'Free text, or an object with string values. Its `country` is a code of ISO 3166-1 or a name, stored as the alpha-2 code',
  examples: ['1 Main Street, 75001 Paris', { line1: '1 Main Street', postalCode: '75001', city: 'Paris' }],
};
/** An address as sent by a shopper (contract, CheckoutDto: object or string, "inner type not given"). */
export const OrderAddress = Type.Unsafe<string | Record<string, string | null>>({
  anyOf: addressForms,
  ...addressOptions,
});
export type OrderAddress = Static<typeof OrderAddress>;
export const AddressOrNull = Type.Unsafe<OrderAddress | null>({
  anyOf: [...addressForms, { type: 'null' }],
  ...addressOptions,
});

const LineProperties = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Properties chosen or written by the shopper; masked unless the caller placed the order',
  examples: [{ engraving: 'For Ada' }],
});

const shortText = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description, examples: [example] }));
const address = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description, examples: [example] }));

/** How the shopper came to the store, as the storefront reports it: not verified. */
export const OrderAttribution = object(
  {
    channel: shortText('Where the order was placed', 'web'),
    utmSource: shortText('`utm_source` of the visit', 'newsletter'),
    utmMedium: shortText('`utm_medium` of the visit', 'email'),
    utmCampaign: shortText('`utm_campaign` of the visit', 'spring-sale'),
    utmTerm: shortText('`utm_term` of the visit', 'linen shirt'),
    utmContent: shortText('`utm_content` of the visit', 'banner'),
    referrer: address('The page that linked to the store', 'https://blog.example/linen'),
    landingPage: address('The first page of the visit', 'https://shop.example/products/linen-shirt'),
  },
  { $id: 'OrderAttribution', description: 'How the shopper came to the store, as reported by the storefront' },
);
export type OrderAttribution = Static<typeof OrderAttribution>;

export const OrderLineItem = object(
  {
    id: Uuid,
    variantId: nullable(withOptions(Uuid, { description: 'Null for a custom line' })),
    productId: nullable(Uuid),
    sku: nullable(Type.String({ examples: ['LINEN-M'] })),
    title: Type.String({ examples: ['Linen shirt'] }),
    variantTitle: nullable(Type.String({ examples: ['M'] })),
    properties: LineProperties,
    quantity: Type.Integer({ minimum: 1, examples: [2] }),
    unitPrice: Money,
    total: Money,
    charged: Money,
    refunded: object(
      { quantity: Type.Integer({ minimum: 0, description: 'Units', examples: [1] }), amount: Money },
      { $id: 'OrderItemRefund', description: 'What was refunded of the item: units, and by amount' },
    ),
  },
  {
    $id: 'OrderLineItem',
    description:
      'A line, with title and price at the time of the order. `charged` is `total` after discounts, with taxes and its share of the rounding: the amount refunded for all its units.',
  },
);

const itemId = nullable(withOptions(Uuid, { description: 'The item it applies to; null for the entire order' }));

const shippingCode = nullable(
  Type.String({ description: 'Code of the shipping charge it applies to', examples: ['standard-shipping'] }),
);
const source = nullable(
  object(
    { type: Type.String({ examples: ['promotion'] }), id: Type.String({ examples: ['summer'] }) },
    { $id: 'AdjustmentSource', description: 'Where an adjustment or tax comes from' },
  ),
);

export const OrderAdjustment = object(
  {
    id: Uuid,
    itemId,
    shippingCode,
    kind: oneOf(adjustmentKinds),
    code: Type.String({ examples: ['standard-shipping'] }),
    label: Type.String({ examples: ['Standard shipping'] }),
    amount: Money,
    charged: nullable(Money),
    refunded: nullable(Money),
    source,
  },
  {
    $id: 'OrderAdjustment',
    description:
      'A charge or, with a negative amount, a discount or credit. `charged` is the amount of a shipping charge after discounts, with taxes and its share of the rounding; null for others, as `refunded`.',
  },
);

export const OrderTaxLine = object(
  {
    id: Uuid,
    itemId,
    shippingCode,
    code: Type.String({ examples: ['vat'] }),
    label: Type.String({ examples: ['VAT'] }),
    rate: nullable(Type.Number({ minimum: 0, description: 'Per cent; null without a single rate', examples: [19] })),
    amount: Money,
    included: Type.Boolean({
      description: 'Whether prices already contain this tax, so that it adds nothing to the total',
    }),
    source,
  },
  { $id: 'OrderTaxLine' },
);

export const OrderTotals = object(
  {
    subtotal: Money,
    discount: Money,
    shipping: Money,
    tax: Money,
    credit: Money,
    rounding: Money,
    total: Money,
  },
  {
    $id: 'OrderTotals',
    description:
      '`total` is the sum of the others, less the tax that prices already contain. `discount` and `credit` are zero or below. `rounding` is what the total was rounded by, up or down.',
  },
);

export const OrderCustomer = object(
  {
    // Without the e-mail format, because it may be masked.
    email: Type.String({ examples: ['ada@example.com'] }),
    name: nullable(Type.String({ examples: ['Ada Lovelace'] })),
    phone: nullable(Type.String({ examples: ['+33 1 23 45 67 89'] })),
    address: AddressOrNull,
    billing: AddressOrNull,
  },
  { $id: 'OrderCustomer', description: 'Masked unless the caller placed the order: `a***@e***.com`' },
);

/** An order as shoppers see it. */
export const OrderResource = object(
  {
    id: Uuid,
    number: OrderNumber,
    status: Status,
    paymentStatus: PaymentStatus,
    fulfillmentStatus: FulfillmentStatus,
    currency: Type.String({ pattern: '^[A-Z]{3}$', examples: ['EUR'] }),
    items: Type.Array(OrderLineItem),
    adjustments: Type.Array(OrderAdjustment),
    taxLines: Type.Array(OrderTaxLine),
    totals: OrderTotals,
    paid: Money,
    refunded: Money,
    balance: Money,
    customer: OrderCustomer,
    regionId: nullable(withOptions(Uuid, { description: 'The region of the sale' })),
    locale: nullable(
      withOptions(Locale, { description: 'The language in which the shopper ordered', examples: ['fr-FR'] }),
    ),
    payBy: nullable(
      withOptions(DateTime, { description: 'When the order is canceled if still unpaid, or pending; null for never' }),
    ),
    notes: nullable(Type.String({ description: "The shopper's notes", examples: ['Please ring twice'] })),
    createdAt: DateTime,
    updatedAt: DateTime,
    canceledAt: nullable(DateTime),
  },
  {
    $id: 'Order',
    description:
      '`paid` was received for the order, and `refunded` was paid back of it. `balance` is the amount owed: what is charged, less what was received and kept. Charged is the total less what was refunded of it, for units or by amount, and nothing if the order is canceled. So a refund leaves the balance as it is. A negative balance was received beyond what is charged, and is owed to the shopper.',
  },
);

export const TermsVersion = Type.String({ minLength: 1, maxLength: 100, examples: ['2026-11'] });

export const OrderPage = pageOf(OrderResource, 'OrderPage');

/** An order as staff see it. */
export const AdminOrder = object(
  {
    ...OrderResource.properties,
    attribution: nullable(OrderAttribution),
    terms: nullable(
      object(
        { version: TermsVersion, acceptedAt: DateTime },
        { $id: 'AcceptedTerms', description: "The store's terms that the shopper accepted with the order" },
      ),
    ),
    tags: Type.Array(Tag),
    disputed: Money,
    memberId: nullable(withOptions(Uuid, { description: 'The member who placed the order; null for a guest' })),
    ...externalFields,
    archivedAt: nullable(DateTime),
  },
  {
    $id: 'AdminOrder',
    description:
      'An order as staff see it. `disputed` is what disputes of its payments have taken back, or hold while they are open: it is neither kept nor due again.',
  },
);
export const AdminOrderPage = integrationPageOf(AdminOrder, 'AdminOrderPage');
