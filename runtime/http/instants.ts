/**
 * Instants in requests: RFC 3339 with bounds that PostgreSQL and JavaScript share, and the one form in which handlers get
 * them. JSON Schema's `date-time` alone also allows what neither can store: the year 0 in UTC, leap seconds, and a
 * fraction of a second with hundreds of digits.
 * Responses and events may have older times than requests: those that were stored before there were bounds.
 */
import { defineInputForms } from './input-forms.ts';

const rfc3339 = /^\d{4}-(\d\d)-(\d\d)[Tt ](?:[01]\d|2[0-3]):\d\d:(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
const [first, last] = [Date.UTC(1900, 0, 1), Date.UTC(10_000, 0, 1) - 1];

/**
 * Returns an instant in UTC with milliseconds, as responses have it; null if it is none, is out of bounds or names a leap
 * second.
 */
export function parseInstant(text: string): string | null {
  const [, month, day, second, fraction = '', offset] = rfc3339.exec(text) ?? [];
  if (offset === undefined || second === '60') return null;
  // Date takes February 30 for the second of March.
  const date = text.slice(0, 10);
  const midnight = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return null;
  if (midnight.getUTCMonth() + 1 !== Number(month)) return null;
  const time = Date.parse(`${date}T${text.slice(11, 19)}${fraction.slice(0, 4)}${offset.toUpperCase()}`);
  return time >= first && time <= last ? new Date(time).toISOString() : null;
}

const meaning = 'a time of RFC 3339 with an offset in the years 1900 to 9999, such as 2026-03-01T12:00:00Z';

defineInputForms('date-time', {
  meaning: (text) => (/:60(?:[.Zz+-]|$)/.test(text) ? `${meaning}, and no leap second (the second 60)` : meaning),
  parse: parseInstant,
  maxLength: 100,
  description: 'RFC 3339 with an offset, in the years 1900 to 9999',
});
