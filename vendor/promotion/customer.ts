/**
 * Who uses promotions.
 */

/** The key under which the uses of a customer are counted: the member, else the e-mail address; null for neither. */
export function customerKeyOf(memberId: string | null, email: string | null): string | null {
  return memberId ?? email?.toLowerCase() ?? null;
}
