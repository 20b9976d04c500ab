/**
 * The languages that a request asks for.
 */
import { canonicalLocale } from './locale.ts';

/** Languages of an Accept-Language header that are considered. */
const maxLanguages = 10;

/** The tags of an Accept-Language header, most preferred first (RFC 9110, section 12.5.4). */
export function preferredLocales(header: string): string[] {
  const ranges = header.split(',', maxLanguages).map((part) => {
    const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
    const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
    return { tag, quality: quality === undefined ? 1 : Number(quality) };
  });
  const preferred = ranges.filter(({ tag, quality }) => /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(tag) && quality > 0);
  return preferred.sort((one, other) => other.quality - one.quality).flatMap(({ tag }) => canonicalLocale(tag) ?? []);
}
