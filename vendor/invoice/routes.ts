/**
 * Routes of invoices: for staff, and the page for shoppers.
 */
import { htmlMediaType, object, resource, route, Uuid } from '@carton/runtime';
import { creditInvoice } from './credit-notes/requests.ts';
import { readInvoicePage } from './page/markup.ts';
import { invoiceDetailOf, invoiceOf } from './present.ts';
import { creditNotPossible, invoiceAlreadyIssued, invoiceNotPossible, invoiceSellerIncomplete } from './problems.ts';
import { CreateCreditNote, Invoice, InvoiceDetail, InvoicePage, InvoiceQuery, IssueInvoice } from './schemas.ts';
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

export const createCreditNote = route(
  {
    ...common,
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

export const readOrderInvoice = route(
  {
    method: 'get',
    path: '/checkout/:orderId/invoice',
    beyond: true,
    operationId: 'readOrderInvoice',
    tag: 'Checkout',
    summary: 'Read the invoice of an order as a page to print',
    description:
      'HTML without scripts: the invoice and its credit notes, each beginning on a new page. 404 until an invoice is issued. Personal data is masked as in `GET /checkout/{orderId}`.',
    access: 'session',
    params: object({ orderId: Uuid }),
    status: 200,
    mediaType: htmlMediaType,
  },
  ({ db, session, params }) => readInvoicePage(db, session, params.orderId),
);
