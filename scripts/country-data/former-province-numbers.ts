/**
 * Countries of which the CLDR has the codes of provinces from before the standard gave them new numbers: Iran,
 * Kazakhstan, Morocco, and a district of Uganda; and what the CLDR has at a wrong code.
 */

/** By country: the keys of the CLDR with those of the standard; null for a province that is no longer one. */
const newKeys: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  IR: numbered(`01 03 02 04 03 24 04 10 05 16 06 18 07 23 08 14 10 06 11 19 12 20 13 11 14 07 15 08 16 12 17 05 18 17 19 01
    20 15 21 02 22 00 23 22 24 13 25 21 26 25 28 26 30 09 31 28 32 30`),
  KZ: numbered(`AKM 11 AKT 15 ALA 75 ALM 19 AST 71 ATY 23 KAR 35 KUS 39 KZY 43 MAN 47 PAV 55 SEV 59 SHY 79 VOS 63 YUZ 61
    ZAP 27 ZHA 31`),
  MA: {
    ...{ '01': null, '02': null, '03': null, '04': '02', '05': null, '06': null, '07': null, '08': null },
    ...{ '09': null, 10: null, 11: null, 12: null },
  },
  UG: { 331: null },
};

/** Pairs of a former and a new key. */
function numbered(pairs: string): Readonly<Record<string, string>> {
  const keys = pairs.trim().split(/\s+/);
  return Object.fromEntries(keys.flatMap((key, at) => (at % 2 === 0 ? [[key, keys[at + 1] ?? '']] : [])));
}

/** The key in the standard of a province of the CLDR. */
export function newKeyOf(country: string, key: string): string | null {
  const known = newKeys[country]?.[key];
  return known === undefined ? key : known;
}

/** Names of another code, and languages in which a country has its former numbers. */
const wrong = new Set(['TD-CB منطقة كانم']);
const wrongLanguages = new Set(['UG sw']);

/** Whether the CLDR has the name at a wrong code. @param code ISO 3166-2 */
export function isWrong(code: string, language: string, name: string): boolean {
  return wrong.has(`${code} ${name}`) || wrongLanguages.has(`${code.slice(0, 2)} ${language}`);
}
