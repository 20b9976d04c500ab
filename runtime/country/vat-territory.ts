/**
 * The territory of value added tax of the European Union: which place is in it, and in which member state.
 *
 * Sources: Directive 2006/112/EC, Articles 5 to 7 (https://eur-lex.europa.eu/eli/dir/2006/112), and Article 8 of the Windsor
 * Framework for Northern Ireland, which is in it for goods.
 */
import { bareCode } from './postal-codes.ts';
import { provinceLine } from './provinces.ts';

/** ISO 3166-1 alpha-2. */
const memberStates: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

/** Countries that count as another (Article 7). */
const countsAs: Readonly<Record<string, string>> = { MC: 'FR', IM: 'GB' };

/** Of a member state, but not in the territory (Article 6). Codes are without spaces, provinces as they are stored. */
const outside: Readonly<Record<string, { codes: RegExp; provinces: readonly string[] }>> = {
  // Helgoland, Büsingen.
  DE: { codes: /^(?:27498|78266)$/, provinces: [] },
  // The Canary Islands, Ceuta, Melilla.
  ES: { codes: /^(?:35|38|51|52)\d{3}$/, provinces: ['CN', 'CE', 'ML'] },
  // Åland.
  FI: { codes: /^22\d{3}$/, provinces: ['01', 'AX'] },
  // What is overseas; 980 is Monaco.
  FR: {
    codes: /^(?:97\d|98[1-9])\d\d$/,
    provinces: '971 972 973 974 976 GP MQ GF RE YT BL MF PM PF NC WF TF CP'.split(' '),
  },
  // Mount Athos.
  GR: { codes: /^63086$/, provinces: ['69'] },
  // Livigno, Campione d'Italia.
  IT: { codes: /^(?:23041|22061)$/, provinces: [] },
};

/** Postal codes of Northern Ireland. */
const northernIreland = /^BT\d/;

export const isMemberState = (country: string): boolean => memberStates.has(country);

/** The country as which another counts: `FR` for `MC`, `GB` for `IM`; any other is itself. */
export const vatCountryOf = (country: string): string => countsAs[country] ?? country;

export interface VatAddress {
  /** ISO 3166-1 alpha-2; null if unknown. */
  country: string | null;
  postalCode?: string | null | undefined;
  province?: string | null | undefined;
}

/**
 * The member state, or Northern Ireland (`XI`), to which goods at an address belong; null outside the territory, as on the
 * Canary Islands.
 */
export function vatPlaceOf({ country, postalCode, province }: VatAddress): string | null {
  if (country === null) return null;
  const code = postalCode ? bareCode(country, postalCode).replaceAll(/[^A-Z0-9]/g, '') : '';
  if (country === 'GB') return northernIreland.test(code) ? 'XI' : null;
  const place = vatCountryOf(country);
  if (!memberStates.has(place)) return null;
  const excluded = place === country ? outside[country] : undefined;
  if (!excluded) return place;
  const line = province?.trim() ? provinceLine(country, province) : [];
  return excluded.codes.test(code) || line.some((each) => excluded.provinces.includes(each)) ? null : place;
}
