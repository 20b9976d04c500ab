/**
 * Schemas that several subjects of payment share.
 */
import { Currency, object, oneOf, type Static, Type } from '@carton/runtime';

export const paymentStates = ['pending', 'authorized', 'captured', 'voided', 'failed'] as const;
const captureModes = ['automatic', 'manual'] as const;
export const nextActions = ['redirect', 'client_secret'] as const;
export const transactionTypes = ['initiate', 'authorize', 'capture', 'void', 'refund'] as const;
export const stepStates = ['pending', 'succeeded', 'failed'] as const;
export const disputeStates = ['inquiry', 'open', 'won', 'lost', 'closed'] as const;

export const Provider = Type.String({
  description: 'The payment adapter, or `offline` for payments that staff recorded',
  examples: ['offline'],
});
export const Method = Type.String({ minLength: 1, maxLength: 100, examples: ['bank_transfer'] });
export const State = oneOf(paymentStates, { examples: ['captured'] });
export const StepState = oneOf(stepStates, {
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

export const CaptureMode = oneOf(captureModes, {
  description: 'automatic: captured once it is authorized and its order is placed; manual: captured by staff',
  examples: ['automatic'],
});
export type CaptureMode = Static<typeof CaptureMode>;

export const NextAction = object(
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
