/**
 * Invoices that staff issue.
 */
import { findStore } from '@carton/core';
import { findOrder, lockOrder, type Order, refundedChargeOf, unknownOrder } from '@carton/order';
import { invalidField, type TenantDatabase } from '@carton/runtime';
import { documentsOf, isOnAddition } from './following/charges.ts';
import { alignInvoices } from './following/service.ts';
import { numberOfBuyer } from './issuing/buyer-number.ts';
import { dayIn } from './issuing/numbering.ts';
import { type IssueRequest, issueLocked } from './issuing/service.ts';
import { invoiceAlreadyIssued, invoiceNotPossible } from './problems.ts';
import { findOpenInvoice, type InvoiceRow, invoices, invoicesOfOrder } from './store.ts';

/**
 * Issues the invoice of an order. An invoice that was credited in full can be replaced by a new one, unless part of the
 * order was refunded; it has no charges that have an invoice of their own. Refunds before the first invoice get their credit
 * notes with it.
 * @throws invalid_request (400) for a day of supply that cannot be meant, and a number that the buyer's cannot be; not_found (404), invoice_already_issued (409),
 * invoice_not_possible (409), invoice_seller_incomplete (409)
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
    const order = (await findOrder(tx, orderId)) as Order;
    await rejectUnlikelySupply(tx, order, request.suppliedOn);
    const { buyer } = request;
    const vatNumber = numberOfBuyer(order, buyer?.vatNumber);
    const documents = await documentsOf(tx, orderId);
    const stated = { ...request, ...(buyer && { buyer: { ...buyer, vatNumber } }) };
    const invoice = await issueLocked(tx, orderId, stated, (line) => isOnAddition(documents, line));
    await alignInvoices(tx, state);
    return invoices.require(tx, invoice.id);
  });
}

/**
 * An invoice cannot be changed, and its day of supply decides when its tax is due: a mistyped year is refused. Goods may
 * be supplied before the order is entered, and on the day that the store's is about to become.
 */
async function rejectUnlikelySupply(
  tx: TenantDatabase,
  { createdAt }: Pick<Order, 'createdAt'>,
  suppliedOn: string | null | undefined,
): Promise<void> {
  if (!suppliedOn) return;
  const store = await findStore(tx);
  const [first, last] = [
    dayBeside(dayIn(store, createdAt), { years: -1 }),
    dayBeside(dayIn(store, new Date()), { days: 1 }),
  ];
  if (suppliedOn >= first && suppliedOn <= last) return;
  const detail = `must be from ${first}, a year before the day of the order, to ${last}, tomorrow in the time zone of the store`;
  throw invalidField('/suppliedOn', detail);
}

/** The day that is so many years and days after another: `2026-11-22`. */
function dayBeside(day: string, { years = 0, days = 0 }: { years?: number; days?: number }): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth(), date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
