/**
 * Schemas of payment sessions.
 */
import { Money, nullable, object, Type, Uuid, withOptions } from '@carton/runtime';
import { Method, NextAction, Provider } from '../schemas.ts';

export const OpenPaymentSession = object(
  { paymentMethod: withOptions(Method, { description: 'A method of the bound payment adapters' }) },
  { $id: 'OpenPaymentSession' },
);

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
