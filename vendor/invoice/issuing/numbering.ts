/**
 * Giving invoices and credit notes their number and announcing them.
 */
import type { Store } from '@carton/core';
import { addTimelineEntry, type OrderState } from '@carton/order';
import { dateTimeFormat, formatMoney, money, publish, type TenantDatabase } from '@carton/runtime';
import { type InvoiceContent, type InvoiceKind, totalsOf } from '../content.ts';
import { invoiceIssued } from '../events.ts';
import { drawSequence, type InvoiceRow, insertInvoice, invoices } from '../store.ts';

/** What is printed on an invoice that is not issued yet. */
export type Unissued = Omit<InvoiceContent, 'issuedOn' | 'rounding'>;

/** The day of a time in the time zone of the store. */
export function dayIn({ timeZone }: Pick<Store, 'timeZone'>, time: Date | string): string {
  const format = dateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return format.format(new Date(time));
}

interface Numbered {
  kind: InvoiceKind;
  series: string;
  order: Pick<OrderState, 'id' | 'currency'>;
  store: Store;
  content: Unissued;
  invoiceId?: string;
  refundId?: string | null;
}

/** Draws the number and inserts the row; returns its id. */
export async function insertNumbered(
  tx: TenantDatabase,
  { kind, series, order, store, content, invoiceId, refundId }: Numbered,
): Promise<string> {
  const { net, tax, credit, rounding, total } = totalsOf(content.lines);
  const { sequence, issuedAt } = await drawSequence(tx, series);
  return insertInvoice(tx, {
    kind,
    series,
    sequence,
    number: `${series}${sequence}`,
    orderId: order.id,
    invoiceId: invoiceId ?? null,
    refundId: refundId ?? null,
    currency: order.currency,
    netAmount: net,
    taxAmount: tax,
    // The column has all that lies between the gross amount and the total.
    creditAmount: credit + rounding,
    totalAmount: total,
    content: { ...content, rounding, issuedOn: dayIn(store, issuedAt) },
    createdAt: issuedAt,
  });
}

const nouns: Readonly<Record<InvoiceKind, string>> = { invoice: 'Invoice', credit_note: 'Credit note' };

/** Adds the entry to the timeline of the order, publishes the event and returns the row. */
export async function announce(tx: TenantDatabase, id: string): Promise<InvoiceRow> {
  const row = await invoices.require(tx, id);
  const { kind, number, orderId, invoiceId, currency, totalAmount } = row;
  const amount = formatMoney(money(totalAmount, currency), 'en');
  await addTimelineEntry(tx, orderId, 'invoice', `${nouns[kind]} ${number} of ${amount} was issued`);
  await publish(
    tx,
    invoiceIssued,
    { type: 'invoice', id },
    { number, kind, orderId, invoiceId, currency, totalAmount },
  );
  return row;
}
