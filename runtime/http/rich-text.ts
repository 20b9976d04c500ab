/**
 * Rich texts: HTML that staff write and storefronts insert as it is. It is sanitised when it is written
 * (compute/rich-text.ts), and again where it leaves, by the schema of the response: so a field that is declared as HTML has
 * only what is allowed, also if an earlier release or another program has written it.
 *
 * At reads and not by a migration: migrations are SQL and cannot sanitise, and until a job had been through all rows, some
 * would leave as they were stored.
 */
import { LRUCache } from 'lru-cache';
import { type TSchema, Type } from './schemas.ts';

const mediaType = 'text/html';
const allowed = 'Scripts, styles, forms, frames and whatever else is not allowed is removed';

/** A rich text in a response. */
export function richText(...examples: string[]) {
  const description = `Sanitised HTML, which can be inserted as it is. ${allowed}`;
  return Type.String({ contentMediaType: mediaType, description, examples });
}

/** The maximum length of a description, as it is written. */
export const maxDescription = 20_000;

/** How much longer a text can be once it is sanitised: `"` in an attribute becomes `&quot;`. */
const growth = 6;

/**
 * A rich text in a request, which responses return sanitised. What they return can be sent again: a longer text than
 * `maxLength` is taken if it is sanitised and has as many characters without tags, an entity counting as one
 * (`isTooLong`).
 */
export function newRichText(maxLength: number, ...examples: string[]) {
  const length = `At most ${maxLength.toLocaleString('en')} characters; of sanitised HTML, tags do not count, and an entity as one`;
  return Type.String({ maxLength: growth * maxLength, description: `HTML. ${allowed}. ${length}`, examples });
}

/** Whether a text is longer than it may be. @param safe the same text, sanitised */
export function isTooLong(html: string, safe: string, maxLength: number): boolean {
  if (html.length <= maxLength) return false;
  const text = html.replaceAll(/<[^<>]*>/g, '').replaceAll(/&(?:amp|lt|gt|quot);/g, '&');
  return html !== safe || text.length > maxLength;
}

/** Whether a schema is that of a rich text. */
export function isRichText({ contentMediaType }: TSchema): boolean {
  return contentMediaType === mediaType;
}

const schemasWithText = new WeakMap<object, boolean>();

/** Whether the values of a schema may have rich texts. */
export function hasRichText(schema: unknown): boolean {
  if (schema === null || typeof schema !== 'object') return false;
  let has = schemasWithText.get(schema);
  if (has === undefined) {
    // For a schema that refers to itself.
    schemasWithText.set(schema, false);
    has = isRichText(schema as TSchema) || Object.values(schema).some(hasRichText);
    schemasWithText.set(schema, has);
  }
  return has;
}

let sanitize: ((html: string) => string) | undefined;

/**
 * Loads the sanitiser, for `sanitized`. It is loaded with the first response that may have a rich text: that takes as long
 * as much of the start of a box.
 */
export async function loadSanitizer(): Promise<void> {
  sanitize ??= (await import('./html-sanitizer.ts')).default;
}

/** Whether there is no need to wait for `loadSanitizer`. */
export const isSanitizerLoaded = () => sanitize !== undefined;

/** Characters of texts before and after, which are kept: reads of the same products are repeated. */
const keptCharacters = 4_000_000;
const kept = new LRUCache<string, string>({
  maxSize: keptCharacters,
  sizeCalculation: (after, before) => before.length + after.length + 1,
});

/**
 * Whether a text may have tags. Without `<` it has none, however it is read: such a text, as most descriptions from other
 * systems are, is returned as it was written and not with entities.
 */
export const hasTags = (text: string) => text.includes('<');

/** A text as storefronts may insert it. Without the sanitiser, it is all text and no HTML. */
export function sanitized(html: string): string {
  if (!hasTags(html)) return html;
  if (!sanitize) return html.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  let safe = kept.get(html);
  if (safe === undefined) {
    safe = sanitize(html);
    kept.set(html, safe);
  }
  return safe;
}
