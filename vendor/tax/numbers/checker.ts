/**
 * The interface of what proves tax numbers: a service that knows which numbers are valid, such as the EU's VIES.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';

export interface TaxNumberQuestion {
  /** In its stored form, with its letters. */
  number: string;
  /** The store's own number in its stored form, for services that confirm who has asked; null without one. */
  requester: string | null;
}

export interface TaxNumberAnswer {
  isValid: boolean;
  /** The service's identifier of this answer, which proves later that it was given; null without one. */
  requestIdentifier: string | null;
  /** Of the business, as the service has them; null if it does not tell. */
  name: string | null;
  address: string | null;
}

export interface TaxNumberChecker {
  /** As `TAX_NUMBER_CHECKERS` names it; stored with orders. */
  readonly name: string;
  /** Whether it knows numbers with these letters (`prefixOfTaxNumber`). */
  knows(prefix: string): boolean;
  /**
   * One attempt, which ends when the signal is aborted.
   * @throws ServiceError if there is no answer
   */
  check(db: TenantDatabase, question: TaxNumberQuestion, signal: AbortSignal): Promise<TaxNumberAnswer>;
}

/** Checkers of other packages. The settings of a box name those that it uses. */
export const taxNumberCheckers = extensionPoint<TaxNumberChecker>('tax.number-checkers');
