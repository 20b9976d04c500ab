/**
 * Time zones: the names of the IANA database, as the runtime's own formatting of dates takes them.
 */
import { Type } from '../http/schemas.ts';
import { defineFormat } from '../http/validation.ts';

const areas = new Set(['Etc', ...Intl.supportedValuesOf('timeZone').map((name) => name.split('/')[0])]);

/**
 * True for `UTC` and for a name of the form `Area/Location`, in its own capitals: `Europe/Paris`. Of two names for one
 * zone both are valid (`Asia/Calcutta`, `Asia/Kolkata`): browsers differ in which they send. An offset (`+01:00`) has
 * no daylight saving time, an abbreviation (`IST`) has several meanings, and `US/Pacific` is a name of old: none is
 * valid.
 */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC') return true;
  if (!name.includes('/') || !areas.has(name.split('/')[0])) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

/** A time zone as it is sent. */
export const TimeZone = Type.String({
  format: defineFormat('time-zone', 'a time zone of the IANA database, such as Europe/Paris', isTimeZone),
  maxLength: 64,
  examples: ['Europe/Paris'],
});
