/**
 * The territory of value added tax of the European Union: which place is in it, and in which member state.
 *
 * Sources: Directive 2006/112/EC, Articles 5 to 7 (https://eur-lex.europa.eu/eli/dir/2006/112), and Article 8 of the Windsor
 * Framework for Northern Ireland, which is in it for goods.
 */

/** ISO 3166-1 alpha-2. */
const memberStates: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

export const isMemberState = (country: string): boolean => memberStates.has(country);
