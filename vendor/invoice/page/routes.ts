/**
 * The page with the invoices of an order, for shoppers.
 */
import { htmlMediaType, object, route, Uuid } from '@carton/runtime';
import { readInvoicePage } from './markup.ts';

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
