/**
 * JSON pointers (RFC 6901).
 */

/** The pointer to a value within others, by the names of their members from the outside. */
export function pointerTo(...names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
