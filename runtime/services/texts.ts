/**
 * Texts of services, of which some have characters that PostgreSQL stores in no text and no JSON.
 */

/** The text without U+0000 and without halves of surrogate pairs. */
export function storableText(text: string): string {
  const isStorable = !text.includes('\0') && text.isWellFormed();
  return isStorable ? text : text.replaceAll('\0', '').replace(/\p{Cs}/gu, '');
}
