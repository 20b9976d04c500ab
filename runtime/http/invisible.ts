/**
 * Characters that no reader sees: spaces without width, marks of the writing direction, of joins and of byte orders. Copied
 * texts have them.
 */
const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

export function withoutInvisible(text: string): string {
  return text.replaceAll(invisible, '');
}

/** Whether a text shows nothing. */
export function isBlank(text: string): boolean {
  return withoutInvisible(text).trim() === '';
}
