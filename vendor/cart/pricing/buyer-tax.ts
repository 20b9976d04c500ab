/**
 * What is known of a buyer as far as taxes are concerned: of their tax number, and why a sale has no tax.
 */

/** What is known of a tax number. */
export const taxNumberStatuses = ['unchecked', 'valid', 'invalid', 'unavailable'] as const;

/** What a service has said of a tax number. */
export interface TaxNumberCheck {
  /** `unavailable`: it gave no answer. */
  status: Exclude<(typeof taxNumberStatuses)[number], 'unchecked'>;
  /** The name of the service. */
  provider: string;
  checkedAt: string;
  /** The service's identifier of its answer; null without one. */
  requestIdentifier: string | null;
  /** Of the business; null if the service does not tell. */
  name: string | null;
  address: string | null;
}

/**
 * Why a sale has no tax: goods that a business gets in another EU country, services whose tax the buyer owes, or a member whom
 * staff have exempted.
 */
export const taxExemptionKinds = ['intra_community', 'reverse_charge', 'exempt_member'] as const;
export type TaxExemption = (typeof taxExemptionKinds)[number];

export interface BuyerTax {
  /** Null if no service was asked. */
  check: TaxNumberCheck | null;
  exemption: TaxExemption | null;
}
