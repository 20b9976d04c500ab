/**
 * What addresses of a country need: some countries have no towns in their addresses, no provinces, or no postal codes.
 */
import { invalidField } from '../http/problems.ts';
import { rulesOfAddresses } from './address-rules.ts';
import { countryName } from './country.ts';
import { hasPart } from './postal-lines.ts';
import { provincesOf } from './provinces.ts';

/** Countries that are a town, or have none, besides those whose addresses are written without one. */
const withoutTowns = new Set(['AQ', 'BV', 'GS', 'HM', 'IO', 'MC', 'NR', 'PN', 'TF', 'TK', 'UM', 'VA']);

/** Whether addresses of a country need a town. Countries of which nothing is known do. */
export function needsCity(country: string): boolean {
  const { requires } = rulesOfAddresses[country] ?? {};
  return !withoutTowns.has(country) && (requires === undefined || requires.includes('C'));
}

/** Whether a country has postal codes. */
export function hasPostalCodes(country: string): boolean {
  return rulesOfAddresses[country]?.postalCode !== undefined || hasPart(country, 'local', 'postalCode');
}

/** Whether addresses of a country may have a province, as the post writes them. */
export function hasProvince(country: string): boolean {
  return needsProvince(country) || hasPart(country, 'local', 'administrativeArea');
}

/** Whether addresses of a country need a province, and it has known ones. */
export function needsProvince(country: string): boolean {
  return (rulesOfAddresses[country]?.requires?.includes('S') ?? false) && provincesOf(country).length > 0;
}

/** @throws invalid_request (400) for an address without the town that its country needs */
export function requireCity({ city, country }: { city?: string | null; country: string }): void {
  if (!city && needsCity(country)) throw invalidField('/city', `is required for an address in ${countryName(country)}`);
}
