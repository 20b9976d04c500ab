/**
 * What addresses of a country need, and how they are written: from `data/addresses.json`, the data of Google's
 * libaddressinput.
 */
import addressRules from './data/addresses.json' with { type: 'json' };

interface AddressRule {
  /** Parts in capital letters: the town (C), the province (S), the postal code (Z). */
  readonly capitals?: string;
  /** Parts that an address needs, in the same letters; A is the street. */
  readonly requires?: string;
  /** What a postal code is like, as a regular expression. */
  readonly postalCode?: string;
  /** Addresses have the code of the province. */
  readonly provinceCodes?: boolean;
}

export const rulesOfAddresses: Readonly<Record<string, AddressRule>> = addressRules;
