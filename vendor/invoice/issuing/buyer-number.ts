/**
 * The buyer's tax number that staff state for an invoice, in the form in which it is printed.
 */
import type { Order } from '@carton/order';
import { invalidField, Problem, writtenTaxNumber } from '@carton/runtime';

const pointer = '/buyer/vatNumber';

/**
 * A sale between businesses without tax rests on the number that was proved for it, and its invoice has to name that one:
 * another would be printed as if it were proved.
 * @param stated undefined for the order's number
 * @throws invalid_request (400) for another number than the proved one, and for one without the form of its country
 */
export function numberOfBuyer(
  { taxExemption, customer }: Pick<Order, 'taxExemption' | 'customer'>,
  stated: string | null | undefined,
): string | null | undefined {
  const proved = taxExemption === null || taxExemption === 'exempt_member' ? null : customer.taxNumber;
  if (stated === undefined || proved === null) return writtenTaxNumber(stated, pointer);
  if (readableNumber(stated) === proved) return proved;
  const detail = `must be ${proved}, the number that was proved for this sale, which has no tax because of it: leave it out, or correct the sale with a new order`;
  throw invalidField(pointer, detail);
}

/** A number as it is stored; null for what is none. */
function readableNumber(stated: string | null): string | null {
  try {
    return writtenTaxNumber(stated, pointer) ?? null;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
