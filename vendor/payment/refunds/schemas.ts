/**
 * Schemas of refunds.
 */
import {
  externalFields,
  integrationPageOf,
  integrationQuery,
  Money,
  newExternalFields,
  nullable,
  object,
  type Static,
  Type,
  timestamps,
  Uuid,
} from '@carton/runtime';
import { PaymentPart } from '../payments/schemas.ts';
import { Method, PositiveMoney, Provider, StepState } from '../schemas.ts';

const Units = Type.Integer({ minimum: 1, description: 'Units', examples: [1] });
const RefundedUnits = Type.Integer({ minimum: 0, description: 'Units; 0 for a part of the price', examples: [1] });
const ShippingCode = Type.String({ minLength: 1, maxLength: 200, examples: ['standard-shipping'] });

const CreateRefundShipping = object(
  { code: ShippingCode, amount: PositiveMoney },
  { $id: 'CreateRefundShipping', description: 'A part of a shipping charge' },
);

export const CreateRefund = object(
  {
    ...PaymentPart.properties,
    items: Type.Optional(
      Type.Array(
        object(
          { lineItemId: Uuid, quantity: Type.Optional(Units), amount: Type.Optional(PositiveMoney) },
          { $id: 'CreateRefundItem', description: 'Units of an item, or a part of its price' },
        ),
        {
          minItems: 1,
          maxItems: 1000,
          description: 'Items to refund, instead of an amount: of each a quantity or an amount',
        },
      ),
    ),
    shipping: Type.Optional(
      Type.Unsafe<true | (string | Static<typeof CreateRefundShipping>)[]>({
        anyOf: [
          { type: 'boolean', const: true },
          {
            type: 'array',
            items: { anyOf: [ShippingCode, CreateRefundShipping] },
            minItems: 1,
            maxItems: 100,
            uniqueItems: true,
          },
        ],
        description: 'Shipping charges to refund, by their codes, or true for all that are left; or parts of them',
        examples: [true, ['standard-shipping']],
      }),
    ),
    restock: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Whether the stock of refunded units that were not shipped is returned. A refund of an amount returns none.',
      }),
    ),
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500, examples: ['Arrived broken'] })),
    ...newExternalFields,
  },
  {
    $id: 'CreateRefund',
    description:
      'Without an amount, items and shipping, all that is left is refunded. An amount first returns what was received beyond the total of the order; the rest is shared among its items and shipping charges in proportion to what is left of each. To refund parts of certain items, name them with amounts. Units of which nothing is left to refund are refunded with an amount of zero: no money moves, and the refund is not listed; it has no `externalId` and no `metadata`.',
    examples: [
      {
        items: [{ lineItemId: '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c002', quantity: 1 }],
        shipping: ['standard-shipping'],
        reason: 'Arrived broken',
      },
    ],
  },
);
const refundedTax = { amount: Money, tax: Money };
export const Refund = object(
  {
    id: Uuid,
    paymentId: Uuid,
    orderId: Uuid,
    provider: Provider,
    method: Method,
    status: StepState,
    amount: Money,
    excess: Money,
    tax: nullable(Money),
    items: Type.Array(object({ lineItemId: Uuid, quantity: RefundedUnits, ...refundedTax }, { $id: 'RefundItem' })),
    shipping: Type.Array(
      object({ code: ShippingCode, quantity: RefundedUnits, ...refundedTax }, { $id: 'RefundShipping' }),
    ),
    reason: nullable(Type.String({ examples: ['Arrived broken'] })),
    restock: Type.Boolean({
      description: 'Whether the stock of its units is returned, as far as they were not shipped',
    }),
    ...externalFields,
    ...timestamps,
  },
  {
    $id: 'Refund',
    description:
      '`excess` is the part of `amount` that was received beyond the total of the order. The rest takes as much off what is charged: `items` and `shipping` divide it, and `tax` is the part of it that is tax. Refunds by amount of release 0.2.0 and earlier have none of these three.',
  },
);
export type Refund = Static<typeof Refund>;

const canceledUnits = {
  items: Type.Array(object({ lineItemId: Uuid, quantity: Units }, { $id: 'CanceledUnit' }), {
    minItems: 1,
    maxItems: 1000,
  }),
};
const restocksUnits = 'Whether the stock of the units is returned, as far as they were not shipped';
export const CancelUnits = object(
  {
    ...canceledUnits,
    restock: Type.Optional(Type.Boolean({ default: true, description: restocksUnits })),
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500, examples: ['The gift is out of stock'] })),
  },
  { $id: 'CancelUnits' },
);
export type CancelUnits = Static<typeof CancelUnits>;
export const CanceledUnits = object(
  {
    id: Uuid,
    orderId: Uuid,
    ...canceledUnits,
    restock: Type.Boolean({ description: restocksUnits }),
    reason: nullable(Type.String({ examples: ['The gift is out of stock'] })),
  },
  { $id: 'CanceledUnits', description: 'They count as refunded units of the order, with an amount of zero.' },
);
export type CanceledUnits = Static<typeof CanceledUnits>;
export const RefundPage = integrationPageOf(Refund, 'RefundPage');
export const RefundQuery = integrationQuery({
  orderId: Type.Optional(Uuid),
  paymentId: Type.Optional(Uuid),
  status: Type.Optional(StepState),
});
export type RefundQuery = Static<typeof RefundQuery>;
