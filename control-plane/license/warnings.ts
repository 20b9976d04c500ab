/**
 * Warnings that a licence expires, or that a replaced one ends, some days before and at that instant. Each is made exactly
 * once, whatever replicas and crashes do: a row of `license_warnings` is inserted with its event. A renewed licence expires
 * at another instant, and is warned of again.
 */
import type { Knex } from 'knex';
import { licenseEnded, licenseEnding, licenseExpired, licenseExpiring, warningDays } from '../events/types.ts';
import type { Job } from '../schedule.ts';
import { recordLicenseEvent } from './events.ts';
import type { License } from './schemas.ts';
import { findLicenseById } from './store.ts';

type Term = 'expiry' | 'end';

interface Warning {
  licenseId: string;
  term: Term;
  instant: string;
  /** 0 at the instant itself. */
  days: number;
}

const batchSize = 100;
/** Days after which an instant is not looked at any more: longer than the control plane is ever down. */
const longestDelay = 30;
const longestWarning = Math.max(...warningDays);

const near = (column: string) =>
  `(${column} > now() - interval '${longestDelay} days' and ${column} <= now() + interval '${longestWarning} days')`;

/**
 * The warning that is due for each licence: of several that are, the last. Those that were withdrawn are not warned of, and
 * an end before the expiry takes its place. Locked rows are another replica's, or are being changed: they are left for
 * the next time.
 */
const findDue = `
  select id as license_id, term, instant, days
    from license_keys
    cross join lateral (
      select 'expiry' as term, expires_at as instant where status = 'active' and (ends_at is null or expires_at < ends_at)
      union all
      select 'end', ends_at where status <> 'revoked') as terms
    cross join lateral (
      select min(days) as days from unnest(?::integer[]) as days where instant <= now() + days * interval '1 day') as due
   where (${near('expires_at')} or ${near('ends_at')}) and ${near('instant')} and days is not null
     and not exists (
       select from license_warnings as made
        where (made.license_id, made.term, made.instant, made.days) = (license_keys.id, terms.term, terms.instant, due.days))
   order by instant, id
   limit ${batchSize}
     for no key update of license_keys skip locked`;

export function warningJob(db: Knex, interval = 60_000): Job {
  return { complaint: 'expiring licences could not be warned of', interval, run: () => warnOfExpiry(db) };
}

/** Makes the warnings that are due. Returns how many. */
export async function warnOfExpiry(db: Knex): Promise<number> {
  let made = 0;
  for (;;) {
    const { due, inserted } = await db.transaction(warnBatch);
    made += inserted;
    if (due < batchSize) return made;
  }
}

async function warnBatch(transaction: Knex.Transaction): Promise<{ due: number; inserted: number }> {
  const { rows } = await transaction.raw(findDue, [[...warningDays, 0]]);
  if (rows.length === 0) return { due: 0, inserted: 0 };
  const due = rows.map(({ license_id, ...rest }: { license_id: string }) => ({ licenseId: license_id, ...rest }));
  // A replica may have made one after this transaction looked and before it locked the licence.
  const inserted: Warning[] = await transaction('license_warnings')
    .insert(due)
    .onConflict(['licenseId', 'term', 'instant', 'days'])
    .ignore()
    .returning(['licenseId', 'term', 'instant', 'days']);
  for (const warning of inserted) await recordWarning(transaction, warning);
  return { due: rows.length, inserted: inserted.length };
}

async function recordWarning(transaction: Knex.Transaction, { licenseId, term, days }: Warning): Promise<void> {
  const license = (await findLicenseById(transaction, licenseId)) as License;
  if (days === 0) {
    await recordLicenseEvent(transaction, term === 'expiry' ? licenseExpired : licenseEnded, license);
  } else {
    await recordLicenseEvent(transaction, term === 'expiry' ? licenseExpiring : licenseEnding, license, { days });
  }
}

/**
 * Leaves out the warnings whose day has passed when a licence gets another expiry or end: who mints a licence for ten days
 * need not be warned that it expires in fourteen.
 */
export async function skipPassedWarnings(transaction: Knex.Transaction, licenseId: string): Promise<void> {
  await transaction.raw(
    `insert into license_warnings (license_id, term, instant, days)
     select id, term, instant, days
       from license_keys
       cross join lateral (values ('expiry', expires_at), ('end', ends_at)) as terms (term, instant)
       cross join unnest(?::integer[]) as days
      where id = ? and instant <= now() + days * interval '1 day'
     on conflict do nothing`,
    [[...warningDays], licenseId],
  );
}

/** Forgets warnings of instants that are not looked at any more. Returns how many. */
export function removeOldWarnings(db: Knex): Promise<number> {
  return db('license_warnings')
    .whereRaw(`instant < now() - interval '${2 * longestDelay} days'`)
    .delete();
}
