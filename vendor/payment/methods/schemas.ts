/**
 * Schemas of payment methods, for shoppers and for staff.
 */
import {
  Amount,
  changeOf,
  humanText,
  nullable,
  object,
  type Static,
  Type,
  timestamps,
  Uuid,
  withOptions,
} from '@carton/runtime';
import { CaptureMode, Method, PositiveMoney, Provider } from '../schemas.ts';

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
