/**
 * Invoices in responses.
 */
import { money } from '@carton/runtime';
import { type Sums, sumsByGroup, sumsOf, totalsOf } from './content.ts';
import type { Invoice, InvoiceDetail } from './schemas.ts';
import type { InvoiceRow } from './store.ts';

export function invoiceOf(row: InvoiceRow): Invoice {
  const { id, number, kind, orderId, invoiceId, refundId, currency, content } = row;
  const { credit, rounding, total, ...sums } = totalsOf(content.lines);
  return {
    id,
    number,
    kind,
    orderId,
    orderNumber: content.orderNumber,
    invoiceId,
    addsTo: content.addsTo?.number ?? null,
    refundId,
    currency,
    issuedOn: content.issuedOn,
    suppliedOn: content.suppliedOn,
    totals: {
      ...sumsIn(currency, sums),
      credit: money(credit, currency),
      rounding: money(rounding, currency),
      total: money(total, currency),
    },
    credited: money(row.creditedAmount, currency),
    issuedAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

const sumsIn = (currency: string, { net, tax, gross }: Sums) => ({
  net: money(net, currency),
  tax: money(tax, currency),
  gross: money(gross, currency),
});

export function invoiceDetailOf(row: InvoiceRow): InvoiceDetail {
  const { currency, content } = row;
  const { locale, seller, buyer, taxExemption = null, delivery, paid, reason, note, lines } = content;
  const { legalName, address, vatNumber, registrationNumber = null } = seller;
  return {
    ...invoiceOf(row),
    locale,
    seller: { legalName, address, vatNumber, registrationNumber, note: seller.note },
    buyer,
    taxExemption,
    delivery,
    paid: paid ? { amount: money(paid.amount, currency), on: paid.on } : null,
    reason,
    note,
    taxGroups: sumsByGroup(content).map(({ taxes, ...sums }) => ({
      taxes: taxes.map(({ amount, ...tax }) => ({ ...tax, amount: money(amount, currency) })),
      ...sumsIn(currency, sums),
    })),
    lines: lines.map(({ unitAmount, discount, credit: _, chargeId: __, rounding: ___, parts, ...line }) => ({
      ...line,
      unitPrice: unitAmount === null ? null : money(unitAmount, currency),
      discount: money(discount, currency),
      ...sumsIn(currency, sumsOf(parts)),
      parts: parts.map((part) => ({ taxGroup: part.group, ...sumsIn(currency, sumsOf([part])) })),
    })),
  };
}
