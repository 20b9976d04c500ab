/**
 * CSV (RFC 4180) for spreadsheets, in which no cell becomes a formula.
 */

/** How a cell begins that a spreadsheet calculates: also in full width, and after a tab or the end of a line. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;
/** What needs no quotes, whatever separates the fields: spreadsheets use a semicolon or a tab in some languages. */
const plain = /^[A-Za-z0-9._:@/ -]*$/;

/**
 * One line. A text that would be a formula begins with an apostrophe, by which spreadsheets show it as text; null is an
 * empty field.
 */
export function csvLine(values: readonly (string | number | boolean | null)[]): string {
  return `${values.map(field).join(',')}\r\n`;
}

function field(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = formula.test(value) ? `'${value}` : value;
  return plain.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}
