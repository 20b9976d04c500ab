/**
 * Schemas of payments and their steps.
 */
import {
  ActedBy,
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
  trimmed,
  Uuid,
  withOptions,
} from '@carton/runtime';
import {
  CaptureMode,
  Method,
  NextAction,
  PositiveMoney,
  Provider,
  State,
  StepState,
  transactionTypes,
} from '../schemas.ts';

/** The payment of an order as its shopper sees it. */
export const OrderPayment = object(
  { status: State, nextAction: nullable(NextAction) },
  {
    $id: 'OrderPayment',
    description: '`nextAction` completes a pending payment; null for everyone but the session or member with the order',
  },
);
export type OrderPayment = Static<typeof OrderPayment>;

const PaymentTransaction = object(
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
    method: trimmed(withOptions(Method, { description: 'How it was paid, in your own words' })),
    reference: Type.Optional(humanText(200, { examples: ['Statement 12, line 3'] })),
    note: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, examples: ['Paid at the counter'] })),
    ...newExternalFields,
  },
  { $id: 'RecordPayment' },
);
export type RecordPayment = Static<typeof RecordPayment>;

/** For a capture. Default: all that is left. */
export const PaymentPart = object({ amount: Type.Optional(PositiveMoney) }, { $id: 'PaymentPart' });
