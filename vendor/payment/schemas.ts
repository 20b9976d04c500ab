/**
 * Shapes of payments, and of the methods and sessions of the bound adapter.
 */
import {
  Currency,
  DateTime,
  Money,
  nullable,
  object,
  oneOf,
  pageOf,
  pageQuery,
  type Static,
  Type,
  Uuid,
} from '@carton/runtime';

export const paymentStates = ['pending', 'authorized', 'captured', 'voided', 'failed'] as const;
export const transactionTypes = ['initiate', 'authorize', 'capture', 'void', 'refund'] as const;

const Provider = Type.String({
  description: 'The payment adapter, or `offline` for what staff recorded',
  examples: ['offline'],
});
const Method = Type.String({ minLength: 1, maxLength: 100, examples: ['bank_transfer'] });
const State = oneOf(paymentStates, { examples: ['captured'] });
const PositiveMoney = object(
  {
    amount: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [1999] }),
    currency: Currency,
  },
  { $id: 'PositiveMoney', description: 'Whole minor units of an ISO 4217 currency, at least one' },
);

export const PaymentMethodList = object(
  {
    items: Type.Array(
      object(
        { code: { ...Method, description: 'Name it as `paymentMethod`' }, provider: Provider },
        { $id: 'PaymentMethod' },
      ),
    ),
  },
  { $id: 'PaymentMethodList', description: 'Empty while payments are not configured' },
);

export const OpenPaymentSession = object(
  { paymentMethod: { ...Method, description: 'A method of the bound payment adapter' } },
  { $id: 'OpenPaymentSession' },
);
export const PaymentSession = object(
  {
    provider: Provider,
    method: Method,
    amount: Money,
    reference: Type.String({ description: "The provider's name for it", examples: ['pi_4711'] }),
    nextAction: nullable(
      object(
        {
          type: oneOf(['redirect', 'client_secret'], {
            description: 'redirect: send the shopper to `value`; client_secret: hand it to the script of the provider',
          }),
          value: Type.String({ examples: ['https://pay.example.com/pi_4711'] }),
        },
        { $id: 'PaymentNextAction', description: 'What the shopper does next' },
      ),
    ),
  },
  { $id: 'PaymentSession' },
);

export const PaymentTransaction = object(
  {
    id: Uuid,
    type: oneOf(transactionTypes, { examples: ['capture'] }),
    amount: Money,
    note: nullable(Type.String()),
    actor: object(
      {
        type: oneOf(['shopper', 'staff', 'operator', 'system']),
        id: nullable(Uuid),
        label: nullable(Type.String({ examples: ['ada@example.com'] })),
      },
      { $id: 'PaymentActor' },
    ),
    createdAt: DateTime,
  },
  { $id: 'PaymentTransaction', description: 'What was done about a payment' },
);

export const Payment = object(
  {
    id: Uuid,
    orderId: Uuid,
    provider: Provider,
    method: Method,
    status: State,
    amount: Money,
    reference: nullable(Type.String({ examples: ['Statement 12, line 3'] })),
    transactions: Type.Array(PaymentTransaction),
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { $id: 'Payment' },
);
export type Payment = Static<typeof Payment>;
export const PaymentPage = pageOf(Payment, 'PaymentPage');
export const PaymentQuery = pageQuery({
  orderId: Type.Optional(Uuid),
  status: Type.Optional(State),
  provider: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type PaymentQuery = Static<typeof PaymentQuery>;

export const RecordPayment = object(
  {
    amount: PositiveMoney,
    method: { ...Method, description: 'How it was paid, in words of your own' },
    reference: Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: ['Statement 12, line 3'] })),
    note: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
  },
  { $id: 'RecordPayment' },
);
export type RecordPayment = Static<typeof RecordPayment>;

/** Of a capture or a refund: all unless told. */
export const PaymentPart = object({ amount: Type.Optional(PositiveMoney) }, { $id: 'PaymentPart' });
