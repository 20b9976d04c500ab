/**
 * Line properties: small data from the shopper or a package that distinguishes lines of one variant.
 */
import { createHash } from 'node:crypto';
import { invalidField } from '@carton/runtime';
import type { LineProperties } from '../pricing/sale.ts';
import { maxTextLength } from '../schemas.ts';

const maxNameLength = 60;
/**
 * Normalizes properties for storage and comparison: sorted by name, text in Unicode's composed form (NFC).
 * @param pointer JSON pointer to the properties in the body
 * @throws invalid_request (400) for an empty, overlong or duplicate name, and for an overlong text
 */
export function normalizeProperties(properties: LineProperties = {}, pointer = '/properties'): LineProperties {
  const entries = Object.entries(properties).map(([name, value]): [string, LineProperties[string]] => [
    name.normalize('NFC'),
    typeof value === 'string' ? value.normalize('NFC') : value,
  ]);
  const names = new Set(entries.map(([name]) => name));
  const isInvalid =
    names.size < entries.length || [...names].some((name) => name === '' || name.length > maxNameLength);
  if (isInvalid) throw invalidField(pointer, `must have unique names of 1 to ${maxNameLength} characters`);
  if (entries.some(([, value]) => typeof value === 'string' && [...value].length > maxTextLength)) {
    throw invalidField(pointer, `must have texts of at most ${maxTextLength} characters in Unicode's composed form`);
  }
  // By code unit, independent of the machine's locale.
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The key that distinguishes lines of one variant: a hash of the normalized properties, empty without properties. */
export function keyOfProperties(normalized: LineProperties): string {
  const entries = Object.entries(normalized);
  if (entries.length === 0) return '';
  return createHash('sha256').update(JSON.stringify(entries)).digest('base64url');
}
