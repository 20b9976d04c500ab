/**
 * The lines of invoices, from what the order stored.
 */
import { chargedRowsOf, findOrderUnits, type Order } from '@carton/order';
import type { TenantDatabase } from '@carton/runtime';
import type { ContentLine, InvoiceContent } from '../content.ts';
import { taxedChargesOf } from './taxation.ts';

/** Some lines of an invoice, with the groups of taxes that they have. */
export function selectLines(
  { taxGroups, lines }: Pick<InvoiceContent, 'taxGroups' | 'lines'>,
  isSelected: (line: ContentLine) => boolean,
): Pick<InvoiceContent, 'taxGroups' | 'lines'> {
  const selected = lines.filter(isSelected);
  if (selected.length === lines.length) return { taxGroups, lines };
  const positions = [...new Set(selected.flatMap(({ parts }) => parts.map(({ group }) => group)))].sort(
    (a, b) => a - b,
  );
  return {
    taxGroups: positions.map((position) => taxGroups[position] ?? []),
    lines: selected.map((line) => ({
      ...line,
      parts: line.parts.map((part) => ({ ...part, group: positions.indexOf(part.group) })),
    })),
  };
}

/** The lines of an order with their parts by tax. */
export async function readLines(tx: TenantDatabase, order: Order) {
  const units = await findOrderUnits(tx, [order.id]);
  return linesOf(order, new Set(units.flatMap(({ id, requiresShipping }) => (requiresShipping ? [] : id))));
}

/** @param services ids of lines that need no parcel */
export function linesOf(
  { items, adjustments, taxLines, totals }: Pick<Order, 'items' | 'adjustments' | 'taxLines' | 'totals'>,
  services: ReadonlySet<string> = new Set(),
) {
  const areServices = items.length > 0 && items.every(({ id }) => services.has(id));
  const { taxGroups, charges } = taxedChargesOf(chargedRowsOf({ items, adjustments, taxLines, totals }));
  const lines = charges.map(({ charge, parts }): ContentLine => {
    const { lineItemId, shippingCode, quantity, discount, credit, rounding } = charge;
    const item = items.find(({ id }) => id === lineItemId);
    const shipping = adjustments.find(({ kind, code }) => kind === 'shipping' && code === shippingCode);
    return {
      lineItemId,
      shippingCode,
      chargeId: shipping?.id ?? null,
      title: item?.title ?? shipping?.label ?? '',
      variantTitle: item?.variantTitle ?? null,
      sku: item?.sku ?? null,
      service: item ? services.has(item.id) : areServices,
      quantity,
      unitAmount: item?.unitPrice.amount ?? null,
      discount,
      credit,
      rounding,
      parts,
    };
  });
  return { taxGroups, lines };
}
