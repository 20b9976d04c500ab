/**
 * Schemas of payments of existing orders.
 */
import { Money, object } from '@carton/runtime';
import { PaymentSession } from '../sessions/schemas.ts';

export const OrderPaymentSession = object(
  { ...PaymentSession.properties, total: Money },
  {
    $id: 'OrderPaymentSession',
    description: '`total` is that of the order with the fee of the chosen method, `amount` what is left to pay of it',
  },
);
