/**
 * Invoices that staff issue.
 */
import { lockOrder, refundedChargeOf, unknownOrder } from '@carton/order';
import type { TenantDatabase } from '@carton/runtime';
import { documentsOf, isOnAddition } from './following/charges.ts';
import { alignInvoices } from './following/service.ts';
import { type IssueRequest, issueLocked } from './issuing/service.ts';
import { invoiceAlreadyIssued, invoiceNotPossible } from './problems.ts';
import { findOpenInvoice, type InvoiceRow, invoices, invoicesOfOrder } from './store.ts';

/**
 * Issues the invoice of an order. An invoice that was credited in full can be replaced by a new one, unless part of the
 * order was refunded; it has no charges that have an invoice of their own. Refunds before the first invoice get their credit
 * notes with it.
 * @throws not_found (404), invoice_already_issued (409), invoice_not_possible (409), invoice_seller_incomplete (409)
 */
export async function issueInvoice(
  db: TenantDatabase,
  orderId: string,
  request: IssueRequest = {},
): Promise<InvoiceRow> {
  return db.transaction(async (tx) => {
    const state = await lockOrder(tx, orderId);
    if (!state) throw unknownOrder(orderId);
    if (await findOpenInvoice(tx, orderId)) throw invoiceAlreadyIssued();
    if (state.status === 'canceled') throw invoiceNotPossible('The order is canceled.');
    if (state.status === 'pending') throw invoiceNotPossible('The order waits for its payment.');
    const isReplacement = (await invoicesOfOrder(tx, orderId)).length > 0;
    if (isReplacement && refundedChargeOf(state) > 0) {
      throw invoiceNotPossible('Part of the order was refunded after its first invoice.');
    }
    const documents = await documentsOf(tx, orderId);
    const invoice = await issueLocked(tx, orderId, request, (line) => isOnAddition(documents, line));
    await alignInvoices(tx, state);
    return invoices.require(tx, invoice.id);
  });
}
