/**
 * The query of the list of orders.
 */
import { DateTime, integrationQuery, maxWordLength, type Static, Tag, Type, Uuid, withOptions } from '@carton/runtime';
import { FulfillmentStatus, PaymentStatus, Status } from '../schemas.ts';

const amountOf = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: `${description}, in minor units of \`currency\`, by default the store's; orders in other currencies do not match`,
    examples: [2000],
  });

export const AdminOrderQuery = integrationQuery({
  status: Type.Optional(Status),
  paymentStatus: Type.Optional(PaymentStatus),
  fulfillmentStatus: Type.Optional(FulfillmentStatus),
  number: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  email: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'Case-insensitive' })),
  archived: Type.Optional(Type.Boolean({ description: 'Only archived orders, or only others; default: both' })),
  placedFrom: Type.Optional(withOptions(DateTime, { description: 'Placed at this time or later' })),
  placedTo: Type.Optional(withOptions(DateTime, { description: 'Placed before this time' })),
  memberId: Type.Optional(withOptions(Uuid, { description: 'The member who placed the order' })),
  tag: Type.Optional(withOptions(Tag, { description: 'Case-insensitive' })),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', examples: ['EUR'] })),
  totalMin: Type.Optional(amountOf('At least this total')),
  totalMax: Type.Optional(amountOf('At most this total')),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxWordLength,
      description:
        'Beginning of the order number, of the e-mail address, or of words of the customer name; case-insensitive',
      examples: ['ada'],
    }),
  ),
});
export type AdminOrderQuery = Static<typeof AdminOrderQuery>;
