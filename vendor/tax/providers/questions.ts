/**
 * The question that a sale asks a tax provider.
 */
import type { QuotedAddress, TotalsDraft } from '@carton/cart';
import { includedIn } from '../sales/included.ts';
import type { TaxQuestion, TaxQuestionLine } from './provider.ts';

/** A question with the lines of the sale that it is about, in the order of the question's lines. */
export interface SaleQuestion {
  question: TaxQuestion;
  lineIds: readonly string[];
}

/**
 * Everything that a provider needs to know of a sale; null if nothing costs anything. Amounts of zero are left out. The
 * order of the lines does not depend on that of the sale, so that the same goods are the same question.
 * @param codes the provider's codes, by tax category
 */
export function questionOf(
  { sale, region, lines, shipping }: TotalsDraft,
  address: QuotedAddress,
  { codes, shippingCategory }: { codes: Readonly<Record<string, string>>; shippingCategory: string | null },
): SaleQuestion | null {
  const codeOf = (category: string | null) => (category === null ? null : (codes[category] ?? null));
  const asked = lines
    .filter(({ discountedTotal }) => discountedTotal > 0)
    .map(({ id, discountedTotal: amount, quantity, taxCategory }) => ({
      id,
      line: { amount, quantity, code: codeOf(taxCategory) },
    }))
    .toSorted((one, other) => compareLines(one.line, other.line));
  const included = includedIn(region);
  const charge = shipping.reduce((sum, { discountedAmount }) => sum + discountedAmount, 0);
  if (asked.length === 0 && charge === 0) return null;
  return {
    lineIds: asked.map(({ id }) => id),
    question: {
      currency: sale.currency,
      included: included.goods,
      address,
      lines: asked.map(({ line }) => line),
      shipping: charge === 0 ? null : { amount: charge, code: codeOf(shippingCategory), included: included.charges },
    },
  };
}

function compareLines(one: TaxQuestionLine, other: TaxQuestionLine): number {
  const byCode = (one.code ?? '') < (other.code ?? '') ? -1 : Number((one.code ?? '') > (other.code ?? ''));
  return byCode || one.amount - other.amount || one.quantity - other.quantity;
}
