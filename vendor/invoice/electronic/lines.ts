/**
 * The lines of an electronic document, and its charges and allowances. All amounts are net, in minor units.
 *
 * Of a line with included taxes, only the net amount is exact; its discount is converted to net, and its price is what
 * leads to both. So a line is always exactly its price, times the quantity, less the discount.
 */
import { shownVariantTitle } from '@carton/order';
import { divideRounded, hundredPercent, scalePercent } from '@carton/runtime';
import type { ContentLine, InvoiceContent, LinePart, TaxGroup } from '../content.ts';
import type { Category } from './categories.ts';
import { plainText } from './xml.ts';

export interface ElectronicLine {
  title: string;
  /** Of the variant; null without one. */
  description: string | null;
  sku: string | null;
  /** Below zero for a line whose amount is. */
  quantity: number;
  /** Of `perUnits` units, zero or above: a price of one unit may have no exact amount. */
  price: number;
  perUnits: number;
  /** Zero or above; reduces the line. */
  discount: number;
  net: number;
  category: Category;
}

/** A charge of the document, such as shipping; below zero, an allowance. */
export interface ElectronicCharge {
  reason: string;
  net: number;
  category: Category;
}

/** Divides the amounts of a document; one without goods, such as an invoice of a fee, has its charges as lines. */
export function linesAndChargesOf(
  { taxGroups, lines }: Pick<InvoiceContent, 'taxGroups' | 'lines'>,
  categories: readonly (() => Category)[],
): { lines: ElectronicLine[]; charges: ElectronicCharge[] } {
  const categoryOf = ({ group }: LinePart) => (categories[group] as () => Category)();
  const hasGoods = lines.some(({ lineItemId }) => lineItemId !== null);
  const result: ReturnType<typeof linesAndChargesOf> = { lines: [], charges: [] };
  for (const line of lines) {
    for (const part of line.parts) {
      const category = categoryOf(part);
      if (line.lineItemId !== null || !hasGoods) {
        result.lines.push(lineOf(line, part, taxGroups[part.group] ?? [], category));
      } else {
        result.charges.push({ reason: firstText(line.title, line.shippingCode), net: part.net, category });
      }
    }
  }
  // A charge of zero says nothing.
  return { ...result, charges: result.charges.filter(({ net }) => net !== 0) };
}

function lineOf(line: ContentLine, part: LinePart, group: TaxGroup, category: Category): ElectronicLine {
  const { title, variantTitle, sku, shippingCode } = line;
  // The discount of a charge of several groups is that of all.
  const discount = line.lineItemId === null ? 0 : netOf(-line.discount, group);
  const before = part.net + discount;
  // A reduction of a price, on a credit note, is one reduction.
  const quantity = line.quantity || 1;
  const divides = before % quantity === 0;
  return {
    title: firstText(title, shippingCode, sku),
    description: shownVariantTitle(variantTitle),
    sku,
    quantity: before < 0 ? -quantity : quantity,
    price: Math.abs(divides ? before / quantity : before),
    perUnits: divides ? 1 : quantity,
    discount,
    net: part.net,
    category,
  };
}

/** The first text that shows something: names are required. */
const firstText = (...texts: (string | null)[]): string =>
  texts.find((text) => text !== null && plainText(text).trim() !== '') ?? '-';

/** The net amount of a price. */
function netOf(amount: number, group: TaxGroup): number {
  const within = group.reduce((sum, { included, rate }) => sum + (included ? scalePercent(rate ?? 0) : 0n), 0n);
  return divideRounded(BigInt(amount) * hundredPercent, hundredPercent + within) || 0;
}
