/**
 * The seller, the buyer and the place of delivery of an electronic document. Documents store addresses as lines of text,
 * and those that have fields also in parts.
 */
import { countryCodeOf } from '@carton/runtime';
import type { AddressParts, InvoiceContent } from '../content.ts';
import { electronicInvoiceNotPossible } from '../problems.ts';

/** An address; the standard has at most three lines without the country. */
export interface Address extends AddressParts {
  country: string;
}

export interface Party {
  name: string;
  /** The name of the store, if it is another. */
  tradingName: string | null;
  /** A person at the company; null if the party is a person. */
  contact: string | null;
  address: Address;
  /** With the code of its country; null without one that has it. */
  vatNumber: string | null;
  /** Of a seller: that of the register of companies; of a buyer: another number that it has stated. */
  registration: string | null;
  email: string | null;
}

/** A VAT number as the standard writes it: with the code of its country, without spaces and signs. Null for another. */
export function vatNumberOf(number: string | null | undefined): string | null {
  const written = (number ?? '').replaceAll(/[\s.\-/]/g, '').toUpperCase();
  const prefix = written.slice(0, 2);
  return /^[A-Z]{2}[0-9A-Z+*]{2,}$/.test(written) && countryOfPrefix(prefix) ? written : null;
}

/** Greece has another code in VAT numbers, and Northern Ireland one of its own. */
function countryOfPrefix(prefix: string): string | null {
  if (prefix === 'XI') return 'GB';
  return countryCodeOf(prefix);
}

/** The country of a VAT number that `vatNumberOf` has returned. */
export const countryOfNumber = (number: string | null) => number && countryOfPrefix(number.slice(0, 2));

/** The country of an address in lines: that of its last line. */
const countryOfLines = (lines: readonly string[]) => countryCodeOf(lines.at(-1) ?? '');

/** @param names of the party, which are not part of the address */
function addressOf(
  lines: readonly string[],
  country: string,
  { names = [], parts }: { names?: readonly (string | null)[]; parts?: AddressParts | null | undefined },
): Address {
  if (parts) return { ...parts, lines: inThree(parts.lines), country };
  const own = lines.filter((line) => !names.includes(line) && line.trim() !== '');
  if (own.length > 0 && countryCodeOf(own.at(-1) as string) === country) own.pop();
  return { lines: inThree(own), city: null, postalCode: null, province: null, country };
}

const inThree = (lines: readonly string[]) =>
  lines.length > 3 ? [...lines.slice(0, 2), lines.slice(2).join(', ')] : [...lines];

/** @throws electronic_invoice_not_possible (409) without a country, and without a number of the seller */
export function sellerOf({ seller, countries }: InvoiceContent): Party {
  const vatNumber = vatNumberOf(seller.vatNumber);
  const registration = seller.registrationNumber ?? null;
  const ofNumber = countryOfNumber(vatNumber);
  const country = countries?.seller ?? ofNumber ?? countryOfLines(seller.address);
  if (!country) throw electronicInvoiceNotPossible('The country of the seller is unknown: set country of the store.');
  if (vatNumber === null && registration === null) {
    throw electronicInvoiceNotPossible('The seller has no number: set vatNumber or registrationNumber of the store.');
  }
  const { legalName, name, address } = seller;
  return {
    name: legalName,
    tradingName: name === legalName ? null : name,
    contact: null,
    address: addressOf(address, country, { names: [legalName] }),
    vatNumber,
    registration,
    email: null,
  };
}

/** @throws electronic_invoice_not_possible (409) without a country */
export function buyerOf({ buyer, countries }: InvoiceContent): Party {
  // Documents of releases before this number lack it.
  const vatNumber = vatNumberOf(buyer.vatNumber);
  const ofNumber = countryOfNumber(vatNumber);
  const country = countries?.buyer ?? countryOfLines(buyer.address) ?? ofNumber;
  if (!country) {
    throw electronicInvoiceNotPossible('The country of the buyer is unknown: state an address that ends with it.');
  }
  const { name, company = null, parts } = buyer;
  return {
    name: company ?? name ?? buyer.email,
    tradingName: null,
    contact: company === null || name === company ? null : name,
    address: addressOf(buyer.address, country, { names: [name, company], parts }),
    vatNumber,
    registration: vatNumber === null ? buyer.vatNumber : null,
    email: buyer.email,
  };
}

/** Where the goods go: the buyer's address if the document states no other; null if its country is unknown. */
export function deliveryOf(
  { delivery, deliveryParts: parts, countries }: InvoiceContent,
  buyer: Party,
): Address | null {
  if (delivery.length === 0) return buyer.address;
  const country = countries?.delivery ?? countryOfLines(delivery);
  return country ? addressOf(delivery, country, { parts }) : null;
}
