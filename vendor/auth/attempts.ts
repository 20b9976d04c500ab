/**
 * Throttling of attempts to guess secrets. Attempts are counted in the database, which all replicas of a box share, and
 * before the secret is checked, so concurrent attempts cannot exceed the limit. The first attempts are free; each of
 * the following waits twice as long as the one before, up to a maximum. A success does not count.
 *
 * Guessing must not lock the owner out of an account, however many addresses it comes from. Devices and client
 * addresses that have logged in to the account before are trusted and have counts of their own, which guesses from
 * elsewhere do not raise. A device proves itself by a token (OWASP, "device cookies"). A new device cannot be told from
 * the attackers during an attack; resetting the password by a link makes it trusted. An account that does not exist is
 * counted like one that does.
 */
import { addressBlock, hashToken, type TenantDatabase, tooManyRequests } from '@carton/runtime';
import { newToken } from './secrets.ts';

/** The limits of one kind of attempt for one subject, such as an account or an address. */
interface Count {
  kind: string;
  subject: string;
  /** Attempts before the first wait. */
  free: number;
  /** Seconds. */
  longestWait: number;
}

/** An attempt that has been counted. */
export interface AttemptGuard {
  /** Uncounts the attempt. Call it in the transaction that the correct secret allows. */
  succeeded(db: TenantDatabase): Promise<void>;
}

/** An attempt at a password. */
export interface PasswordGuard extends AttemptGuard {
  /** Uncounts the attempt without trusting the client: the password was correct, but another factor is required. */
  passed(db: TenantDatabase): Promise<void>;
}

/** An attempt to log in to an account. `realm` separates the accounts of different packages. */
export interface Attempt {
  realm: string;
  /** The normalized name of the account: an e-mail address in lower case. */
  account: string;
  /** Address of the client. */
  address: string;
  /** The token of a trusted device (`trustDevice`), if the client sends one. */
  device?: string | null;
}

const minute = 60;

/** Days for which a device or an address stays trusted after its last successful log-in. */
export const trustedDays = 90;

/** A count starts again after this long without an attempt. */
const resetAfter = "interval '1 hour'";

/**
 * The wait after the last attempt: 8 seconds after the last free attempt, doubled by each further one. `$4` is the
 * number of free attempts, `$5` the longest wait in seconds.
 */
const wait = `case when counted.attempts < $4::integer then interval '0'
                   else least($5::integer, 8 * 2 ^ least(counted.attempts - $4::integer, 20)) * interval '1 second' end`;

const countStatement = `
  insert into auth_attempts as counted (tenant_id, kind, subject_hash, attempts, last_at, expires_at)
  values ($1, $2, $3, 1, clock_timestamp(), clock_timestamp() + ${resetAfter})
  on conflict (tenant_id, kind, subject_hash) do update
     set attempts = case when counted.last_at <= clock_timestamp() - ${resetAfter} then 1 else counted.attempts + 1 end,
         last_at = clock_timestamp(),
         expires_at = greatest(counted.expires_at, clock_timestamp() + ${resetAfter})
   where counted.attempts < $4::integer or counted.last_at + ${wait} <= clock_timestamp()
  returning attempts`;

const waitStatement = `
  select ceil(extract(epoch from counted.last_at + ${wait} - clock_timestamp()))::integer as seconds
    from auth_attempts counted
   where tenant_id = $1 and kind = $2 and subject_hash = $3`;

/**
 * Counts an attempt at the password of an account.
 * @throws too_many_requests (429) with Retry-After while the account or the address has to wait
 */
export async function guardPassword(db: TenantDatabase, attempt: Attempt): Promise<PasswordGuard> {
  const { address, account, trustedAddress, device } = countsOf(attempt);
  // An attempt from a trusted device or address is counted for that device or address only.
  const trusted = await findFirstStored(db, device ? [device, trustedAddress] : [trustedAddress]);
  const counts = trusted ? [trusted] : [address, account];
  await countAttempts(db, counts);
  return {
    async passed(transaction) {
      for (const count of counts) await uncount(transaction, count);
    },
    async succeeded(transaction) {
      if (counts.includes(address)) await uncount(transaction, address);
      await deleteCount(transaction, account);
      await storeTrusted(transaction, trustedAddress);
      if (trusted && trusted === device) await storeTrusted(transaction, device);
    },
  };
}

/**
 * Counts an attempt to use a one-time token against the client's address.
 * @throws too_many_requests (429) with Retry-After
 */
export async function guardToken(
  db: TenantDatabase,
  { realm, address }: Pick<Attempt, 'realm' | 'address'>,
): Promise<AttemptGuard> {
  const count = { kind: `${realm} token address`, subject: addressBlock(address), free: 10, longestWait: 15 * minute };
  await countAttempts(db, [count]);
  return { succeeded: (transaction) => uncount(transaction, count) };
}

/**
 * Counts a code of the second factor against the account. Only those who know the password can send one, so nobody else
 * can delay the owner. Six digits allow less than passwords: at the longest wait a guesser tries 96 codes a day.
 * @throws too_many_requests (429) with Retry-After
 */
export async function guardCode(
  db: TenantDatabase,
  { realm, account }: Pick<Attempt, 'realm' | 'account'>,
): Promise<AttemptGuard> {
  const count = { kind: `${realm} code account`, subject: account, free: 5, longestWait: 15 * minute };
  await countAttempts(db, [count]);
  return { succeeded: (transaction) => deleteCount(transaction, count) };
}

/**
 * Counts a report of a failed log-in: the first of an hour, then with growing gaps of up to 15 minutes, so that an
 * attacker cannot fill a table with them. Returns whether the report is due.
 */
export async function countReport(
  db: TenantDatabase,
  { realm, account }: Pick<Attempt, 'realm' | 'account'>,
): Promise<boolean> {
  const count = { kind: `${realm} report account`, subject: account, free: 1, longestWait: 15 * minute };
  const counted = await db.query(countStatement, [...keyOf(count), count.free, count.longestWait]);
  await removeExpired(db);
  return counted.length > 0;
}

/**
 * Counts a request for a password reset link. No success uncounts it.
 * @throws too_many_requests (429) with Retry-After
 */
export async function countLinkRequest(db: TenantDatabase, { realm, account, address }: Attempt): Promise<void> {
  await countAttempts(db, [
    { kind: `${realm} link address`, subject: addressBlock(address), free: 10, longestWait: 15 * minute },
    { kind: `${realm} link account`, subject: account, free: 3, longestWait: 15 * minute },
  ]);
}

/** Trusts the client's address, after the owner of the account has authenticated there without the password. */
export async function trustAddress(db: TenantDatabase, attempt: Attempt): Promise<void> {
  await storeTrusted(db, countsOf(attempt).trustedAddress);
}

/**
 * Trusts the client's device, after the owner of the account has authenticated on it.
 * @returns the token that the device sends with its next attempts: the one it sent if it is trusted already, else a new
 * one. A token that the account has not issued may have been planted and is never accepted.
 */
export async function trustDevice(db: TenantDatabase, attempt: Attempt): Promise<string> {
  const { device } = countsOf(attempt);
  if (attempt.device && device && (await findFirstStored(db, [device]))) {
    await storeTrusted(db, device);
    return attempt.device;
  }
  const token = newToken('dvc');
  await storeTrusted(db, deviceCountOf({ ...attempt, device: token }));
  return token;
}

function deviceCountOf({ realm, account, device }: Attempt): Count {
  return { kind: `${realm} password device`, subject: `${account} ${device}`, free: 10, longestWait: minute };
}

interface Counts {
  address: Count;
  account: Count;
  trustedAddress: Count;
  device: Count | null;
}

function countsOf(attempt: Attempt): Counts {
  const { realm, account, address: client, device } = attempt;
  const block = addressBlock(client);
  return {
    device: device ? deviceCountOf(attempt) : null,
    address: { kind: `${realm} password address`, subject: block, free: 20, longestWait: 15 * minute },
    account: { kind: `${realm} password account`, subject: account, free: 10, longestWait: minute },
    trustedAddress: {
      kind: `${realm} password known`,
      subject: `${account} ${block}`,
      free: 10,
      longestWait: minute,
    },
  };
}

/**
 * Counts all of them, or none if one has to wait. All callers use the same order, so concurrent attempts cannot
 * deadlock.
 */
async function countAttempts(db: TenantDatabase, counts: readonly Count[]): Promise<void> {
  await db.transaction(async (transaction) => {
    for (const count of counts) {
      const values = [...keyOf(count), count.free, count.longestWait];
      if ((await transaction.query(countStatement, values)).length > 0) continue;
      const [left] = await transaction.query<{ seconds: number }>(waitStatement, values);
      const seconds = Math.max(1, left?.seconds ?? 1);
      throw tooManyRequests(`Try again in ${seconds} s.`, { headers: { 'Retry-After': String(seconds) } });
    }
    await removeExpired(transaction);
  });
}

function keyOf({ kind, subject }: Count): [kind: string, subjectHash: string] {
  return [kind, hashToken(subject)];
}

/** The first of these counts that is stored. One statement. */
async function findFirstStored(db: TenantDatabase, counts: readonly Count[]): Promise<Count | null> {
  const keys = counts.map(keyOf);
  const [row] = await db.query<{ position: number }>(
    `select position::integer from unnest($2::text[], $3::text[]) with ordinality as requested (kind, subject_hash, position)
       join auth_attempts using (kind, subject_hash)
      where tenant_id = $1 and expires_at > now() order by position limit 1`,
    [keys.map(([kind]) => kind), keys.map(([, subject]) => subject)],
  );
  return row ? (counts[row.position - 1] as Count) : null;
}

async function storeTrusted(db: TenantDatabase, count: Count): Promise<void> {
  await db.query(
    `insert into auth_attempts (tenant_id, kind, subject_hash, attempts, last_at, expires_at)
     values ($1, $2, $3, 0, now(), now() + interval '${trustedDays} days')
     on conflict (tenant_id, kind, subject_hash) do update set attempts = 0, expires_at = excluded.expires_at`,
    keyOf(count),
  );
}

async function uncount(db: TenantDatabase, count: Count): Promise<void> {
  await db.query(
    `update auth_attempts set attempts = greatest(attempts - 1, 0)
      where tenant_id = $1 and kind = $2 and subject_hash = $3`,
    keyOf(count),
  );
}

async function deleteCount(db: TenantDatabase, count: Count): Promise<void> {
  await db.query('delete from auth_attempts where tenant_id = $1 and kind = $2 and subject_hash = $3', keyOf(count));
}

/** Deletes more rows than an attempt inserts, so the table does not grow. Skips locked rows. */
async function removeExpired(db: TenantDatabase): Promise<void> {
  await db.query(
    `delete from auth_attempts where tenant_id = $1 and (kind, subject_hash) in (
       select kind, subject_hash from auth_attempts
        where tenant_id = $1 and expires_at <= now() order by expires_at limit 20 for update skip locked)`,
  );
}
