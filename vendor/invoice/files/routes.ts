/**
 * Invoices and credit notes as files: single ones for staff, those of an order for shoppers.
 */
import { object, oneOf, route, tooCostly, Uuid } from '@carton/runtime';
import { electronicInvoiceNotPossible } from '../problems.ts';
import { fileFormats, readFile, readOrderPdf } from './service.ts';

export const readInvoiceFile = route(
  {
    method: 'get',
    path: '/admin/invoices/:id/files/:format',
    beyond: true,
    operationId: 'readInvoiceFile',
    tag: 'Invoices',
    summary: 'Download an invoice or a credit note as a file',
    description:
      '`pdf`: PDF/A-3, with the contents of the page for shoppers. `ubl`: an electronic invoice in UBL 2.1 by EN 16931. ' +
      '`factur-x`: the PDF with the same data inside, in CII (Factur-X, ZUGFeRD). 409 for what EN 16931 has no form for, ' +
      'such as several taxes that apply together, or a seller without a VAT number; the detail says what is missing. The ' +
      'file of a document is always the same, byte for byte.',
    access: 'staff',
    params: object({ id: Uuid, format: oneOf(fileFormats, { examples: ['ubl'] }) }),
    status: 200,
    mediaType: '*/*',
    file: true,
    cacheControl: 'private, no-store',
    problems: [electronicInvoiceNotPossible, tooCostly],
  },
  ({ db, params }) => readFile(db, params.id, params.format),
);

export const readOrderInvoicePdf = route(
  {
    method: 'get',
    path: '/checkout/:orderId/invoice/pdf',
    beyond: true,
    operationId: 'readOrderInvoicePdf',
    tag: 'Checkout',
    summary: 'Download the invoice of an order as PDF',
    description:
      'The contents of `GET /checkout/{orderId}/invoice`: the invoice and its credit notes, with the same masking. 404 until an invoice is issued.',
    access: 'session',
    params: object({ orderId: Uuid }),
    status: 200,
    mediaType: 'application/pdf',
    file: true,
    cacheControl: 'private, no-store',
    problems: [tooCostly],
  },
  ({ db, session, params }) => readOrderPdf(db, session, params.orderId),
);
