/**
 * Times of promotions, given in the time zone of the store.
 */
import { findStore } from '@carton/core';
import { invalidField, type TenantDatabase } from '@carton/runtime';

/**
 * Converts a date, a local time or a time with an offset to an instant. A date as the end is the start of the next day,
 * because ends are not included. PostgreSQL resolves local times: one that clocks skip is as much later as they skip, and
 * one that they repeat is the second.
 * @param name of the field
 * @throws invalid_request (400) for a time that does not exist, such as 30 February
 */
export async function instantOf(
  db: TenantDatabase,
  name: 'startsAt' | 'endsAt',
  value: string | null,
): Promise<Date | null> {
  if (value === null) return null;
  const [date = '', time] = value.split('T');
  const isReal = isRealDate(date) && (time === undefined || /^([01]\d|2[0-3]):[0-5]\d/.test(time));
  if (!isReal) throw invalidField(`/${name}`, 'is not a date or time');
  if (time !== undefined && /[Z+-]/.test(time)) {
    const instant = new Date(value);
    if (Number.isNaN(instant.getTime())) throw invalidField(`/${name}`, 'is not a date or time');
    return instant;
  }
  const { timeZone } = await findStore(db);
  const days = name === 'endsAt' && time === undefined ? 1 : 0;
  const [row] = await db.query<{ instant: string }>(
    `select (($2::timestamp + make_interval(days => $4)) at time zone $3) as instant, $1::uuid`,
    [value, timeZone, days],
  );
  return new Date(row?.instant as string);
}

function isRealDate(date: string): boolean {
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date);
}
