/**
 * The addresses that items of menus may have.
 */

const protocols = new Set(['http:', 'https:', 'mailto:', 'tel:']);
/** What browsers drop or take for a slash, so that `java\tscript:` and `/\evil.example` would be other addresses. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it rejects control characters.
const misleading = /[\u0000-\u0020\u007f\\]/;

/** True for a path of the storefront, and for an absolute address that runs nothing and logs in nowhere. */
export function isSafeAddress(text: string): boolean {
  if (misleading.test(text)) return false;
  if (text.startsWith('/')) return !text.startsWith('//');
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return protocols.has(protocol) && username === '' && password === '' && (!isWeb || /^https?:\/\/[^/]/i.test(text));
}
