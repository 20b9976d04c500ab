/**
 * Paths of redirects in one form, so that each address has one redirect and loops are found.
 */

/** The length of a path in this form, so that it fits into an index. */
export const maximumPath = 1000;

/** What browsers drop or take for a slash: `/\evil.example` leads to another host. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it rejects control characters.
const misleading = /[\u0000-\u001f\u007f\\]/;
/** A host that no path contains. */
const base = 'https://store.invalid';

export interface ParsedPath {
  /** In the form in which paths are compared. */
  path: string;
  /** Query and fragment, with `?` and `#`; empty if there are none. */
  suffix: string;
}

/**
 * A path with single slashes, without `.` and `..`, without a slash at its end, and with what must be percent-encoded in
 * UTF-8 and capital letters. Null for text that is not an absolute path, and for one that would lead to another host.
 */
export function parsePath(text: string): ParsedPath | null {
  if (!text.startsWith('/') || text.startsWith('//') || misleading.test(text)) return null;
  const url = URL.parse(text.normalize('NFC'), base);
  if (url?.origin !== base) return null;
  const encoded = url.pathname.replaceAll(/(%[0-9a-f]{2})+/gi, normalizeEscapes);
  // Once more, since dots may have been encoded.
  const resolved = URL.parse(encoded.replaceAll(/\/{2,}/g, '/'), base);
  const path = resolved?.pathname.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '') ?? '';
  if (path === '' || path.length > maximumPath || resolved?.origin !== base) return null;
  return { path, suffix: url.search + url.hash };
}

/** Encodes what needs it, and nothing else. Bytes that are not UTF-8 stay encoded. */
function normalizeEscapes(escapes: string): string {
  try {
    return [...decodeURIComponent(escapes).normalize('NFC')].map(encodeURIComponent).join('');
  } catch {
    return escapes.toUpperCase();
  }
}
