/**
 * Times of promotions, given in the time zone of the store.
 */
import { findStore } from '@carton/core';
import { invalidField, parseInstant, type TenantDatabase } from '@carton/runtime';
import { resolveLocalTime } from './store.ts';

/** A date, or a time with or without seconds and an offset. */
const written = /^(\d{4}-\d\d-\d\d)(?:[Tt](\d\d:\d\d)(?:(:\d\d)(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)?)?$/;

/**
 * Converts a date, a local time or a time with an offset to an instant. A date as the end is the start of the next day,
 * because ends are not included.
 * @param name of the field
 * @throws invalid_request (400) for a time that does not exist, such as 30 February
 */
export async function instantOf(
  db: TenantDatabase,
  name: 'startsAt' | 'endsAt',
  value: string | null,
): Promise<Date | null> {
  if (value === null) return null;
  const [, date, minutes, seconds = ':00', fraction = '', offset] = written.exec(value) ?? [];
  const local = `${date}T${minutes ?? '00:00'}${seconds}${fraction.slice(0, 4)}`;
  const instant = parseInstant(`${local}${offset ?? 'Z'}`);
  const leap = seconds === ':60' ? ', and no leap second (the second 60)' : '';
  const outOfBounds = () => invalidField(`/${name}`, `must be a date or time in the years 1900 to 9999${leap}`);
  if (instant === null) throw outOfBounds();
  if (offset) return new Date(instant);
  const { timeZone } = await findStore(db);
  const days = name === 'endsAt' && minutes === undefined ? 1 : 0;
  const resolved = await resolveLocalTime(db, { local, timeZone, days });
  // The time zone, or the day that is added, may lead out of them.
  if (parseInstant(resolved.toISOString()) === null) throw outOfBounds();
  return resolved;
}
