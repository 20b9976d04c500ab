/**
 * Request and response schemas of carts, for shoppers and staff.
 */
import {
  Country,
  Currency,
  changeOf,
  DateTime,
  Email,
  type HasExtensions,
  humanText,
  integrationPageOf,
  Locale,
  Money,
  nullable,
  object,
  oneOf,
  type Static,
  type TObject,
  type TSchema,
  Type,
  Uuid,
  updatedAfterQuery,
  withOptions,
} from '@carton/runtime';
import { adjustmentKinds, cartIssues, issues, stepsOf } from './pricing/totals.ts';

/** Maximum quantity of a line. */
export const maxLineQuantity = 9999;
/** Characters of a text among the properties of a line, which may become more of them in the composed form. */
export const maxTextLength = 500;
/** Maximum number of lines that can be added; a merge at log-in may exceed it, since it drops nothing. */
export const maxCartLines = 500;

export const statuses = ['active', 'completed', 'merged'] as const;

const Quantity = Type.Integer({ minimum: 1, maximum: maxLineQuantity, examples: [2] });
const Note = humanText(2000, { examples: ['Please ring twice'] });
const text = (maxLength: number, example: string) => humanText(maxLength, { examples: [example] });

const requiredOfAddress = {
  name: text(200, 'Ada Lovelace'),
  line1: text(200, '12 Rue des Lilas'),
  country: Country,
};
const optionalOfAddress = {
  company: nullable(text(200, 'Analytical Engines Ltd')),
  line2: nullable(text(200, 'Third floor')),
  city: withOptions(nullable(text(100, 'Lyon')), { description: 'Required in countries whose addresses have one' }),
  province: nullable(text(100, 'Auvergne-Rhône-Alpes')),
  postalCode: nullable(text(20, '69003')),
  phone: nullable(text(50, '+33 4 72 00 00 00')),
};
export const CartAddress = object({ ...requiredOfAddress, ...optionalOfAddress }, { $id: 'CartAddress' });
export type CartAddress = Static<typeof CartAddress>;

/** The body that sets an address; omitted fields become null. */
export const SetCartAddress = object(
  { ...requiredOfAddress, ...Type.Partial(Type.Object(optionalOfAddress)).properties },
  { $id: 'SetCartAddress' },
);
export type SetCartAddress = Static<typeof SetCartAddress>;

/** Data from the shopper or a package; lines of one variant with different properties are separate. */
const LineProperties = Type.Unsafe<Record<string, string | number | boolean>>({
  type: 'object',
  maxProperties: 20,
  additionalProperties: {
    anyOf: [{ type: 'string', maxLength: maxTextLength }, { type: 'number' }, { type: 'boolean' }],
  },
  description: 'Strings, numbers and booleans under names of up to 60 characters, for example an engraving',
  examples: [{ engraving: 'For Ada' }],
});

export const CartItem = object(
  {
    id: Uuid,
    variantId: Uuid,
    productId: Uuid,
    productHandle: Type.String({ examples: ['linen-shirt'] }),
    title: Type.String({ description: 'Title of the product', examples: ['Linen shirt'] }),
    variantTitle: Type.String({ examples: ['M'] }),
    sku: nullable(Type.String({ examples: ['LINEN-M'] })),
    quantity: Quantity,
    properties: LineProperties,
    unitPrice: nullable(Money),
    /** The regular price, while a lower sale price applies. */
    compareAtPrice: nullable(Money),
    lowestPriorPrice: withOptions(nullable(Money), {
      description: 'The lowest price of the 30 days before the sale price, as for variants',
    }),
    total: withOptions(nullable(Money), {
      description: 'Before discounts; null if the line is left out of the totals',
    }),
    discount: withOptions(nullable(Money), {
      description: 'All discounts on the line, zero or below; null as `total`',
    }),
    tax: withOptions(nullable(Money), { description: 'All taxes on the line; null as `total`' }),
    issues: Type.Array(oneOf(issues), {
      description:
        "Why the line cannot be ordered: it is no longer for sale, has no price in the cart's currency, exceeds " +
        'the stock, or has a quantity that the product does not allow',
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
    itemId: nullable(
      withOptions(Uuid, {
        description:
          'The line it applies to; null for several lines, whose shares are in `items[].discount` and `.tax`',
      }),
    ),
    shippingCode: nullable(
      Type.String({ description: 'Code of the shipping charge it applies to', examples: ['standard-shipping'] }),
    ),
    rate: nullable(Type.Number({ minimum: 0, description: 'Tax rate, per cent', examples: [19] })),
    included: Type.Boolean({
      description: 'Whether prices already contain this tax, so that it adds nothing to the total',
    }),
  },
  {
    $id: 'CartAdjustment',
    description: 'A charge or tax, or, with a negative amount, a discount: one for all lines to which it applies',
  },
);

export const CartTotals = object(
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
    $id: 'CartTotals',
    description:
      '`total` is the sum of the others, less the tax that prices already contain. `discount` is zero or below. ' +
      '`credit` is always zero, because payments do not reduce the total. `rounding` is what the total was rounded by, up or ' +
      'down: zero unless the store rounds what is paid in the currency or by the method.',
  },
);

export const Cart = object(
  {
    id: nullable(withOptions(Uuid, { description: 'Null until the first write creates the cart' })),
    currency: withOptions(Currency, { description: 'That of the region; in a store without regions, of the cart' }),
    regionId: withOptions(nullable(Uuid), {
      description:
        "The region whose prices apply: the one chosen with `PATCH /cart`; else that of the address' country; else the store's default. Null in a store without regions",
    }),
    country: withOptions(nullable(Country), {
      description:
        "The country whose taxes and shipping apply: that of the address; else the one chosen with `PATCH /cart`. While it is null, that of the region if it has only one, else the store's",
    }),
    locale: nullable(Locale),
    email: nullable(Email),
    note: nullable(Note),
    items: Type.Array(CartItem),
    shippingAddress: nullable(CartAddress),
    billingAddress: nullable(CartAddress),
    adjustments: Type.Array(CartAdjustment),
    totals: CartTotals,
    issues: Type.Array(oneOf(cartIssues), {
      description:
        'Why the cart as a whole cannot be ordered: its region does not sell to the shipping country, its prices are in ' +
        'another currency than the shopper has seen (`PATCH /cart` with the `currency`, or `expectedTotal` at the ' +
        'checkout, accepts it), its goods cost less than the minimum order of the store, or taxes or shipping depend on the ' +
        'province of the address, which is not known. `postal_code_invalid`, a postal code that its country does not have, ' +
        'prevents the order only in a store that requires it',
      examples: [[]],
    }),
    updatedAt: nullable(DateTime),
  },
  { $id: 'Cart' },
);
export type Cart = Static<typeof Cart>;

export const ChangeCart = changeOf(
  {
    regionId: nullable(
      withOptions(Uuid, {
        description: "Also sets the cart's currency to the region's. Null: the region follows the address",
      }),
    ),
    country: withOptions(Country, {
      description:
        'Chooses the region that sells to this country, and the country itself for taxes and shipping until there is an address; not with `regionId`',
    }),
    currency: withOptions(Currency, {
      description: "In a store with regions, the currency of the cart's region: the shopper accepts it",
    }),
    locale: nullable(
      withOptions(Locale, { description: 'Language in which the shopper uses the store; copied to the order' }),
    ),
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

export const ReplaceCartItems = object(
  {
    items: Type.Array(AddCartItem, {
      maxItems: maxCartLines,
      description: 'All items of the cart, each variant with the same properties once; empty to remove all',
    }),
  },
  { $id: 'ReplaceCartItems' },
);
export type ReplaceCartItems = Static<typeof ReplaceCartItems>;

export const ChangeCartItem = object({ quantity: Quantity }, { $id: 'ChangeCartItem' });
export type ChangeCartItem = Static<typeof ChangeCartItem>;

const Status = oneOf(statuses, {
  description:
    '`completed`: became an order; `merged`: its contents are in another cart, at log-in or because the order was not placed',
});
const administered = {
  id: Uuid,
  status: Status,
  memberId: nullable(Uuid),
  orderId: nullable(withOptions(Uuid, { description: 'The order that the cart became' })),
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
    itemCount: Type.Integer({ description: 'Total quantity of all lines; zero once the cart is completed or merged' }),
  },
  { $id: 'AdminCartSummary' },
);
export type AdminCartSummary = Static<typeof AdminCartSummary>;
export const AdminCartPage = integrationPageOf(AdminCartSummary, 'AdminCartPage');
export const AdminCartQuery = updatedAfterQuery({ status: Type.Optional(Status) });

/** The schema of carts in a box, for a route that returns one and is declared with `withOverrides`. */
export const cartSchema = (box: HasExtensions): typeof Cart => withShown(Cart, 'Cart', box);

/** The schema of carts in a box, as staff see them. */
export const adminCartSchema = (box: HasExtensions): typeof AdminCart => withShown(AdminCart, 'AdminCart', box);

/** @throws Error if carts already have a field of this name */
function withShown<Schema extends TObject>(cart: Schema, $id: string, box: HasExtensions): Schema {
  const steps = stepsOf(box).flatMap(({ name, shows }) => (shows ? [[name, shows.schema] as const] : []));
  const duplicate = steps.find(([name]) => name in cart.properties);
  if (duplicate) throw new Error(`the totals step ${duplicate[0]} shows a field that carts already have`);
  if (steps.length === 0) return cart;
  return object({ ...cart.properties, ...Object.fromEntries(steps) }, { $id }) as TSchema as Schema;
}
