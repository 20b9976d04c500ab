/**
 * Shapes of the cart as shoppers and as staff see it, and of what shoppers send.
 */
import {
  Country,
  Currency,
  changeOf,
  DateTime,
  Email,
  integrationPageOf,
  Locale,
  Money,
  nullable,
  object,
  oneOf,
  type Static,
  Type,
  Uuid,
  updatedAfterQuery,
} from '@carton/runtime';

/** Most pieces of one variant in a cart. */
export const mostPieces = 9999;
/** Most lines a cart takes; a merge at log-in may bring more, since it loses nothing. */
export const mostLines = 500;

export const issues = ['unavailable', 'unpriced', 'insufficient_stock'] as const;
export const adjustmentKinds = ['discount', 'shipping', 'tax'] as const;
/** What keeps the whole cart from being ordered. */
export const cartIssues = ['country_not_served'] as const;
export const statuses = ['active', 'completed', 'merged'] as const;

const Quantity = Type.Integer({ minimum: 1, maximum: mostPieces, examples: [2] });
const Note = Type.String({ minLength: 1, maxLength: 2000, examples: ['Please ring twice'] });
const text = (maxLength: number, example: string) => Type.String({ minLength: 1, maxLength, examples: [example] });

const requiredOfAddress = {
  name: text(200, 'Ada Lovelace'),
  line1: text(200, '12 Rue des Lilas'),
  city: text(100, 'Lyon'),
  country: Country,
};
const optionalOfAddress = {
  company: nullable(text(200, 'Analytical Engines Ltd')),
  line2: nullable(text(200, 'Third floor')),
  province: nullable(text(100, 'Auvergne-Rhône-Alpes')),
  postalCode: nullable(text(20, '69003')),
  phone: nullable(text(50, '+33 4 72 00 00 00')),
};
export const CartAddress = object({ ...requiredOfAddress, ...optionalOfAddress }, { $id: 'CartAddress' });
export type CartAddress = Static<typeof CartAddress>;

/** The body that sets an address; what is left out is empty. */
export const SetCartAddress = object(
  { ...requiredOfAddress, ...Type.Partial(Type.Object(optionalOfAddress)).properties },
  { $id: 'SetCartAddress' },
);
export type SetCartAddress = Static<typeof SetCartAddress>;

/** What a shopper, or a package, says of a line: it stands beside a line of the variant that says something else. */
const LineProperties = Type.Unsafe<Record<string, string | number | boolean>>({
  type: 'object',
  maxProperties: 20,
  additionalProperties: { anyOf: [{ type: 'string', maxLength: 500 }, { type: 'number' }, { type: 'boolean' }] },
  description: 'Texts, numbers and truth values by names of up to 60 characters: an engraving, a plan',
  examples: [{ engraving: 'For Ada' }],
});

export const CartItem = object(
  {
    id: Uuid,
    variantId: Uuid,
    productId: Uuid,
    productHandle: Type.String({ examples: ['linen-shirt'] }),
    title: Type.String({ description: 'Of the product', examples: ['Linen shirt'] }),
    variantTitle: Type.String({ examples: ['M'] }),
    sku: nullable(Type.String({ examples: ['LINEN-M'] })),
    quantity: Quantity,
    properties: LineProperties,
    unitPrice: nullable(Money),
    /** What it costs otherwise, while a sale price beats that. */
    compareAtPrice: nullable(Money),
    total: nullable(Money),
    issues: Type.Array(oneOf(issues), {
      description:
        'Why this line cannot be ordered as it is: no longer for sale, without a price in the currency of the cart, ' +
        'or more than is in stock',
      examples: [[]],
    }),
  },
  { $id: 'CartItem' },
);

export const CartAdjustment = object(
  {
    code: Type.String({ examples: ['standard-shipping'] }),
    label: Type.String({ examples: ['Standard shipping'] }),
    kind: oneOf(adjustmentKinds),
    amount: Money,
    itemId: nullable({ ...Uuid, description: 'The line it is of; null when it is of no one line' }),
    shippingCode: nullable(
      Type.String({ description: 'Code of the shipping charge it is of', examples: ['standard-shipping'] }),
    ),
    rate: nullable(Type.Number({ minimum: 0, description: 'Of a tax, per cent', examples: [19] })),
    included: Type.Boolean({ description: 'A tax that the prices hold already: it adds nothing to the total' }),
  },
  { $id: 'CartAdjustment', description: 'What comes on top of the lines, or below zero off them' },
);

export const CartTotals = object(
  {
    subtotal: Money,
    discount: Money,
    shipping: Money,
    tax: Money,
    credit: Money,
    total: Money,
  },
  {
    $id: 'CartTotals',
    description:
      'total is the sum of the others, less the tax that prices hold already. discount is zero or below; credit is ' +
      'zero: what pays takes nothing off the total.',
  },
);

export const Cart = object(
  {
    id: nullable({ ...Uuid, description: 'Null while nothing was ever put into the cart' }),
    currency: Currency,
    regionId: nullable(Uuid),
    locale: nullable(Locale),
    email: nullable(Email),
    note: nullable(Note),
    items: Type.Array(CartItem),
    shippingAddress: nullable(CartAddress),
    billingAddress: nullable(CartAddress),
    adjustments: Type.Array(CartAdjustment),
    totals: CartTotals,
    issues: Type.Array(oneOf(cartIssues), {
      description: 'Why the cart as a whole cannot be ordered: its region does not sell to where it is to be sent',
      examples: [[]],
    }),
    updatedAt: nullable(DateTime),
  },
  { $id: 'Cart' },
);
export type Cart = Static<typeof Cart>;

export const ChangeCart = changeOf(
  {
    regionId: nullable({ ...Uuid, description: 'Sets the currency too: that of the region' }),
    currency: { ...Currency, description: 'For a cart without a region' },
    locale: nullable({ ...Locale, description: 'In which the shopper reads the shop; the order keeps it' }),
    email: nullable(Email),
    note: nullable(Note),
  },
  { $id: 'ChangeCart' },
);
export type ChangeCart = Static<typeof ChangeCart>;

export const AddCartItem = object(
  { variantId: Uuid, quantity: Quantity, properties: Type.Optional(LineProperties) },
  { $id: 'AddCartItem' },
);
export type AddCartItem = Static<typeof AddCartItem>;

export const ChangeCartItem = object({ quantity: Quantity }, { $id: 'ChangeCartItem' });
export type ChangeCartItem = Static<typeof ChangeCartItem>;

const Status = oneOf(statuses, {
  description: 'completed: became an order; merged: went into the cart of a member at log-in',
});
const administered = {
  id: Uuid,
  status: Status,
  memberId: nullable(Uuid),
  orderId: nullable({ ...Uuid, description: 'The order that a completed cart became' }),
  createdAt: DateTime,
  updatedAt: DateTime,
};

export const AdminCart = object({ ...Cart.properties, ...administered }, { $id: 'AdminCart' });
export type AdminCart = Static<typeof AdminCart>;

export const AdminCartSummary = object(
  {
    ...administered,
    currency: Currency,
    regionId: nullable(Uuid),
    email: nullable(Email),
    itemCount: Type.Integer({ description: 'Pieces, all lines together; none once the cart is completed or merged' }),
  },
  { $id: 'AdminCartSummary' },
);
export type AdminCartSummary = Static<typeof AdminCartSummary>;
export const AdminCartPage = integrationPageOf(AdminCartSummary, 'AdminCartPage');
export const AdminCartQuery = updatedAfterQuery({ status: Type.Optional(Status) });
