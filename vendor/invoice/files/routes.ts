/**
 * Invoices and credit notes as files, for staff.
 */
import { object, oneOf, route, Uuid } from '@carton/runtime';
import { electronicInvoiceNotPossible } from '../problems.ts';
import { fileFormats, readFile } from './service.ts';

export const readInvoiceFile = route(
  {
    method: 'get',
    path: '/admin/invoices/:id/files/:format',
    beyond: true,
    operationId: 'readInvoiceFile',
    tag: 'Invoices',
    summary: 'Download an invoice or a credit note as a file',
    description:
      '`ubl`: an electronic invoice in UBL 2.1 by EN 16931. 409 for what the standard has no form for, such as several ' +
      'taxes that apply together, or a seller without a VAT number; the detail says what is missing. The file of a ' +
      'document is always the same, byte for byte.',
    access: 'staff',
    params: object({ id: Uuid, format: oneOf(fileFormats, { examples: ['ubl'] }) }),
    status: 200,
    mediaType: '*/*',
    file: true,
    cacheControl: 'private, no-store',
    problems: [electronicInvoiceNotPossible],
  },
  ({ db, params }) => readFile(db, params.id, params.format),
);
