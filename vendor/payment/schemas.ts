/**
 * Schemas of payments, refunds, payment methods and payment sessions.
 */
import {
  ActedBy,
  Amount,
  Currency,
  changeOf,
  DateTime,
  externalFields,
  humanText,
  integrationPageOf,
  integrationQuery,
  Money,
  newExternalFields,
  nullable,
  object,
  oneOf,
  type Static,
  Type,
  timestamps,
  Uuid,
  withOptions,
} from '@carton/runtime';

export const paymentStates = ['pending', 'authorized', 'captured', 'voided', 'failed'] as const;
export const captureModes = ['automatic', 'manual'] as const;
export const nextActions = ['redirect', 'client_secret'] as const;
export const transactionTypes = ['initiate', 'authorize', 'capture', 'void', 'refund'] as const;
export const stepStates = ['pending', 'succeeded', 'failed'] as const;

export const Provider = Type.String({
  description: 'The payment adapter, or `offline` for payments that staff recorded',
  examples: ['offline'],
});
export const Method = Type.String({ minLength: 1, maxLength: 100, examples: ['bank_transfer'] });
const State = oneOf(paymentStates, { examples: ['captured'] });
const StepState = oneOf(stepStates, {
  description: 'pending: the provider has not responded yet',
  examples: ['succeeded'],
});
export const PositiveMoney = object(
  {
    amount: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [1999] }),
    currency: Currency,
  },
  { $id: 'PositiveMoney', description: 'At least one minor unit of an ISO 4217 currency' },
);

const MethodName = humanText(100, { examples: ['Bank transfer'] });
const Instructions = nullable(
  Type.String({
    minLength: 1,
    maxLength: 2000,
    description: 'How to pay, in lines: shown to shoppers with the method, on the confirmation and in mails',
    examples: ['IBAN FR76 3000 6000 0112 3456 7890 189\nPlease state the reference.'],
  }),
);

/** As large as prices may be, so that totals remain exact. */
const Fee = object({
  ...PositiveMoney.properties,
  amount: Type.Integer({ minimum: 1, maximum: Amount.maximum, examples: [300] }),
});
const Fees = Type.Array(Fee, {
  maxItems: 50,
  description:
    'Charged to orders paid by the method, at most one amount for each currency. It is taxed as shipping is, and an order in another currency has no fee',
  examples: [[{ amount: 300, currency: 'EUR' }]],
});

export const PaymentMethodList = object(
  {
    items: Type.Array(
      object(
        {
          code: withOptions(Method, { description: 'The value of `paymentMethod` in requests' }),
          name: MethodName,
          instructions: Instructions,
          fees: Fees,
          provider: Provider,
        },
        { $id: 'PaymentMethod' },
      ),
    ),
  },
  { $id: 'PaymentMethodList', description: 'Empty while payments are not configured' },
);

const CaptureMode = oneOf(captureModes, {
  description: 'automatic: captured once it is authorized and its order is placed; manual: captured by staff',
  examples: ['automatic'],
});

export const AdminPaymentMethod = object(
  {
    id: Uuid,
    provider: Provider,
    code: Method,
    available: Type.Boolean({ description: 'False if no adapter offers it any longer' }),
    enabled: Type.Boolean({ description: 'Whether shoppers may choose it' }),
    position: Type.Integer({ minimum: 0, maximum: 1000, description: 'Lower comes first', examples: [0] }),
    captureMode: CaptureMode,
    name: withOptions(nullable(MethodName), { description: 'Shown to shoppers; null for the code in words' }),
    instructions: Instructions,
    fees: Fees,
    ...timestamps,
  },
  { $id: 'AdminPaymentMethod', description: "A payment adapter's method with its settings" },
);
export type AdminPaymentMethod = Static<typeof AdminPaymentMethod>;
export const AdminPaymentMethodList = object(
  { items: Type.Array(AdminPaymentMethod) },
  { $id: 'AdminPaymentMethodList', description: 'In the order that shoppers see' },
);
const { enabled, position, captureMode, name, instructions, fees } = AdminPaymentMethod.properties;
export const ChangePaymentMethod = changeOf(
  { enabled, position, captureMode, name, instructions, fees },
  { $id: 'ChangePaymentMethod' },
);
export type ChangePaymentMethod = Static<typeof ChangePaymentMethod>;

export const OpenPaymentSession = object(
  { paymentMethod: withOptions(Method, { description: 'A method of the bound payment adapters' }) },
  { $id: 'OpenPaymentSession' },
);
const NextAction = object(
  {
    type: oneOf(nextActions, {
      description: "redirect: send the shopper to `value`; client_secret: pass `value` to the provider's script",
    }),
    value: Type.String({ examples: ['https://pay.example.com/pi_4711'] }),
    publicKey: Type.Optional(
      Type.String({ description: "Public key for the provider's script, if one is configured" }),
    ),
  },
  { $id: 'PaymentNextAction', description: 'What the shopper must do next' },
);

/** The payment of an order as its shopper sees it. */
export const OrderPayment = object(
  { status: State, nextAction: nullable(NextAction) },
  {
    $id: 'OrderPayment',
    description: '`nextAction` completes a pending payment; null for everyone but the session or member with the order',
  },
);
export type OrderPayment = Static<typeof OrderPayment>;

export const PaymentSession = object(
  {
    id: withOptions(Uuid, { description: 'Id of the payment; it stays the same when the cart becomes an order' }),
    provider: Provider,
    method: Method,
    amount: Money,
    reference: Type.String({ description: "The provider's identifier of the payment", examples: ['pi_4711'] }),
    nextAction: nullable(NextAction),
  },
  { $id: 'PaymentSession' },
);

export const OrderPaymentSession = object(
  { ...PaymentSession.properties, total: Money },
  {
    $id: 'OrderPaymentSession',
    description: '`total` is that of the order with the fee of the chosen method, `amount` what is left to pay of it',
  },
);

export const PaymentTransaction = object(
  {
    id: Uuid,
    type: oneOf(transactionTypes, { examples: ['capture'] }),
    status: StepState,
    amount: Money,
    note: nullable(Type.String({ examples: ['Paid at the counter'] })),
    actor: ActedBy,
    createdAt: DateTime,
  },
  { $id: 'PaymentTransaction', description: 'A step of a payment' },
);

export const Payment = object(
  {
    id: Uuid,
    orderId: Uuid,
    provider: Provider,
    method: Method,
    status: State,
    captureMode: CaptureMode,
    amount: Money,
    captured: Money,
    refunded: Money,
    disputed: Money,
    reference: nullable(Type.String({ examples: ['Statement 12, line 3'] })),
    transactions: Type.Array(PaymentTransaction),
    ...externalFields,
    ...timestamps,
  },
  {
    $id: 'Payment',
    description:
      '`captured` is the part of `amount` received so far, `refunded` the part of that paid back, and `disputed` what disputes have taken back or hold',
  },
);
export type Payment = Static<typeof Payment>;
export const PaymentPage = integrationPageOf(Payment, 'PaymentPage');
export const PaymentQuery = integrationQuery({
  orderId: Type.Optional(Uuid),
  status: Type.Optional(State),
  provider: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type PaymentQuery = Static<typeof PaymentQuery>;

export const RecordPayment = object(
  {
    amount: PositiveMoney,
    method: withOptions(Method, { description: 'How it was paid, in your own words' }),
    reference: Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: ['Statement 12, line 3'] })),
    note: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, examples: ['Paid at the counter'] })),
    ...newExternalFields,
  },
  { $id: 'RecordPayment' },
);
export type RecordPayment = Static<typeof RecordPayment>;

/** For a capture. Default: all that is left. */
export const PaymentPart = object({ amount: Type.Optional(PositiveMoney) }, { $id: 'PaymentPart' });

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
