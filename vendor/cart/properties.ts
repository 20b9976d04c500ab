/**
 * Properties of lines: small data of the shopper's or of a package's that tells two lines of one variant apart.
 */
import { createHash } from 'node:crypto';
import { invalidField } from '@carton/runtime';

/** What a line says of itself besides its variant: an engraving, a plan. */
export type LineProperties = Readonly<Record<string, string | number | boolean>>;

const longestName = 60;

/**
 * Properties in the one form in which they are stored and compared: by name, text in Unicode's composed form (NFC).
 * @throws invalid_request (400) for a name that is empty or too long, or that stands there twice in two spellings
 */
export function normalizeProperties(given: LineProperties = {}): LineProperties {
  const entries = Object.entries(given).map(([name, value]): [string, LineProperties[string]] => [
    name.normalize('NFC'),
    typeof value === 'string' ? value.normalize('NFC') : value,
  ]);
  const names = new Set(entries.map(([name]) => name));
  const isWrong = names.size < entries.length || [...names].some((name) => name === '' || name.length > longestName);
  if (isWrong) throw invalidField('/properties', `must have different names of 1 to ${longestName} characters`);
  // By code unit, whatever the locale of the machine.
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What tells lines of one variant apart: empty for a line without properties, else a hash of its normalized ones. */
export function keyOfProperties(normalized: LineProperties): string {
  const entries = Object.entries(normalized);
  if (entries.length === 0) return '';
  return createHash('sha256').update(JSON.stringify(entries)).digest('base64url');
}
