/**
 * Provinces as they are stored and compared.
 */

/**
 * The form in which provinces are stored and compared: `qc` and `CA-QC` are `QC` in Canada.
 * @param country ISO 3166-1 alpha-2; undefined if unknown
 */
export function provinceKey(country: string | undefined, province: string): string {
  const key = province.normalize('NFC').trim().toUpperCase();
  const prefix = `${country}-`;
  return key.startsWith(prefix) && key.length > prefix.length ? key.slice(prefix.length) : key;
}
