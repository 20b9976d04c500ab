/**
 * Single values as JSON, for the compiled functions of the serializer. Each is one call for a value of its type, and
 * refuses any other: nothing is converted, but rich texts are sanitised.
 */
import { sanitized } from './rich-text.ts';

/** A value does not match the schema of the response; `repair` finds out which. */
export class RefusedValue extends Error {
  override readonly name = 'RefusedValue';
}

function refuse(): never {
  throw new RefusedValue('a value does not match the schema of the response');
}

/** Characters that JSON escapes: control characters, `"`, `\` and lone surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const escaped = /[\u0000-\u001f"\\\ud800-\udfff]/;

function text(value: unknown): string {
  if (typeof value !== 'string') return value instanceof Date ? date(value) : refuse();
  return escaped.test(value) ? JSON.stringify(value) : `"${value}"`;
}

function richText(value: unknown): string {
  return typeof value === 'string' ? text(sanitized(value)) : refuse();
}

function date(value: unknown): string {
  if (typeof value === 'string') return text(value);
  return value instanceof Date && !Number.isNaN(value.getTime()) ? `"${value.toISOString()}"` : refuse();
}

function integer(value: unknown): string {
  return Number.isInteger(value) || typeof value === 'bigint' ? `${value}` : refuse();
}

function number(value: unknown): string {
  return typeof value === 'number' && Number.isFinite(value) ? `${value}` : refuse();
}

function boolean(value: unknown): string {
  return value === true ? 'true' : value === false ? 'false' : refuse();
}

function any(value: unknown): string {
  return JSON.stringify(value) ?? refuse();
}

function anyObject(value: unknown): string {
  return JSON.stringify(value);
}

function texts(value: unknown): string {
  if (!Array.isArray(value)) return refuse();
  for (const each of value) if (typeof each !== 'string') refuse();
  return JSON.stringify(value);
}

/** By the names that compiled functions call. */
export const writeValue = { refuse, text, richText, date, integer, number, boolean, any, anyObject, texts };
