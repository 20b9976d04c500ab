/**
 * Events of invoices. They carry no personal data.
 */
import { defineEvent, nullable, object, oneOf, Type, Uuid } from '@carton/runtime';
import { invoiceKinds } from './content.ts';

export const invoiceIssued = defineEvent({
  type: 'invoice.issued',
  summary: 'An invoice or a credit note was issued',
  payload: object({
    number: Type.String(),
    kind: oneOf(invoiceKinds),
    orderId: Uuid,
    invoiceId: nullable(Uuid),
    currency: Type.String(),
    totalAmount: Type.Integer({ description: 'Minor units' }),
  }),
});
