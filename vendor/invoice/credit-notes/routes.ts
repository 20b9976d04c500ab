/**
 * Credit notes by staff.
 */
import { route } from '@carton/runtime';
import { invoiceDetailOf } from '../present.ts';
import { creditNotPossible } from '../problems.ts';
import { InvoiceDetail } from '../schemas.ts';
import { creditInvoice } from './requests.ts';
import { CreateCreditNote } from './schemas.ts';

export const createCreditNote = route(
  {
    tag: 'Invoices',
    access: 'staff',
    beyond: true,
    method: 'post',
    path: '/admin/invoices/:id/credit-notes',
    operationId: 'createCreditNote',
    summary: 'Issue a credit note for an invoice',
    description:
      'Credits units and shipping charges, an amount divided among all lines, or all that is left. It moves no money: a refund of the payment issues its own credit note, except for what is already credited.',
    body: CreateCreditNote,
    bodyOptional: true,
    status: 201,
    response: InvoiceDetail,
    location: '/admin/invoices/{id}',
    problems: [creditNotPossible],
    idempotent: true,
  },
  async ({ db, params, body }) => invoiceDetailOf(await creditInvoice(db, params.id, body ?? {})),
);
