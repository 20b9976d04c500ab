/**
 * Routes of invoices for staff.
 */
import { resource, route } from '@carton/runtime';
import { invoiceDetailOf, invoiceOf } from './present.ts';
import { invoiceAlreadyIssued, invoiceNotPossible, invoiceSellerIncomplete } from './problems.ts';
import { Invoice, InvoiceDetail, InvoicePage, InvoiceQuery, IssueInvoice } from './schemas.ts';
import { issueInvoice as issue } from './service.ts';
import { invoices } from './store.ts';

const common = { tag: 'Invoices', access: 'staff', beyond: true } as const;

export const adminInvoices = resource({
  ...common,
  path: '/admin/invoices',
  noun: 'invoice',
  item: Invoice,
  detail: InvoiceDetail,
  list: {
    summary: 'List invoices and credit notes, newest first',
    query: InvoiceQuery,
    page: InvoicePage,
    run: async ({ db, query }) => {
      const page = await invoices.page(db, query);
      return { ...page, items: page.items.map(invoiceOf) };
    },
  },
  read: {
    summary: 'Read an invoice or a credit note',
    run: async ({ db, params }) => invoiceDetailOf(await invoices.require(db, params.id)),
  },
});

export const issueInvoice = route(
  {
    ...common,
    method: 'post',
    path: '/admin/orders/:id/invoices',
    operationId: 'issueInvoice',
    summary: 'Issue the invoice of an order',
    description:
      'An order has one invoice, besides those of fees that were added later, which are issued by themselves. One that was credited in full can be replaced, to correct it. Requires `legalName` and `address` of the store. An invoice never changes once it is issued.',
    body: IssueInvoice,
    bodyOptional: true,
    status: 201,
    response: InvoiceDetail,
    location: '/admin/invoices/{id}',
    problems: [invoiceAlreadyIssued, invoiceNotPossible, invoiceSellerIncomplete],
    idempotent: true,
  },
  async ({ db, params, body }) => invoiceDetailOf(await issue(db, params.id, body)),
);
