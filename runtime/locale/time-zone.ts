/**
 * Time zones: names of the IANA database, as JavaScript's `Intl` uses them to format dates.
 */
import { Type } from '../http/schemas.ts';
import { defineFormat } from '../http/validation.ts';

const areas = new Set(['Etc', ...Intl.supportedValuesOf('timeZone').map((name) => name.split('/')[0])]);

/**
 * True for `UTC` and for a name of the form `Area/Location` in its exact case: `Europe/Paris`. Aliases are valid too
 * (`Asia/Calcutta`, `Asia/Kolkata`), since browsers differ in which they send. Offsets (`+01:00`) have no daylight saving
 * time, abbreviations (`IST`) are ambiguous, and names such as `US/Pacific` are deprecated: these are not valid.
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

/** The schema of a time zone. */
export const TimeZone = Type.String({
  format: defineFormat('time-zone', 'a time zone of the IANA database, such as Europe/Paris', isTimeZone),
  maxLength: 64,
  examples: ['Europe/Paris'],
});
