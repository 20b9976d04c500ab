/**
 * How often secrets may be guessed. Attempts are counted in the database, so that all replicas of a box share the
 * counts, and before the secret is looked at: of many attempts at once none slips past. Some are free; after them each
 * waits twice as long as the one before, up to a longest wait. A success takes its own attempt back.
 *
 * Guessing must not lock an account's owner out, whoever guesses from however many addresses. A device from which the
 * account's password was right before (it keeps a token, as OWASP's "device cookies" do) is counted by itself, and so is
 * a client address: guesses from elsewhere do not touch them. A device that is new while others guess has no way to tell
 * itself from them but by another secret: the link to set a new password makes it known. An account that does not exist
 * is counted like one that does.
 */
import { addressBlock, hashToken, type TenantDatabase, tooManyRequests } from '@carton/runtime';
import { newToken } from './secrets.ts';

/** Attempts of one kind (what is tried, and by whom it is counted) and of one subject (an account, an address). */
interface Count {
  kind: string;
  subject: string;
  /** Attempts before the first wait. */
  free: number;
  /** Seconds. */
  longestWait: number;
}

/** What guards one attempt; it has been counted already. */
export interface AttemptGuard {
  /** Call in the transaction of what the right secret opens: the attempt was no guess. */
  succeeded(db: TenantDatabase): Promise<void>;
}

/** Who tries, at what: `realm` keeps the accounts of one package apart from those of another. */
export interface Attempt {
  realm: string;
  /** The account as its owner names it, in one spelling: an e-mail address in lower case. */
  account: string;
  /** Address of the client. */
  address: string;
  /** The token that its device was given (`knowDevice`), if it sends one. */
  device?: string | null;
}

const minute = 60;

/** A device or an address from which the password was right is known for this long after the last time. */
export const knownDays = 90;

/** Attempts count together until one hour passes without any. */
const quiet = "interval '1 hour'";

/**
 * How long a subject waits after its last attempt: 8 seconds after the last free one, then twice as long each time.
 * `$4` attempts are free, `$5` seconds are the longest wait.
 */
const wait = `case when counted.attempts < $4::integer then interval '0'
                   else least($5::integer, 8 * 2 ^ least(counted.attempts - $4::integer, 20)) * interval '1 second' end`;

const countText = `
  insert into auth_attempts as counted (tenant_id, kind, subject_hash, attempts, last_at, expires_at)
  values ($1, $2, $3, 1, clock_timestamp(), clock_timestamp() + ${quiet})
  on conflict (tenant_id, kind, subject_hash) do update
     set attempts = case when counted.last_at <= clock_timestamp() - ${quiet} then 1 else counted.attempts + 1 end,
         last_at = clock_timestamp(),
         expires_at = greatest(counted.expires_at, clock_timestamp() + ${quiet})
   where counted.attempts < $4::integer or counted.last_at + ${wait} <= clock_timestamp()
  returning attempts`;

const waitText = `
  select ceil(extract(epoch from counted.last_at + ${wait} - clock_timestamp()))::integer as seconds
    from auth_attempts counted
   where tenant_id = $1 and kind = $2 and subject_hash = $3`;

/**
 * Counts an attempt at the password of an account.
 * @throws too_many_requests (429) with Retry-After while the account or the address has to wait
 */
export async function guardPassword(db: TenantDatabase, attempt: Attempt): Promise<AttemptGuard> {
  const { address, account, known, device } = countsOf(attempt);
  // Who comes with a device, or from an address, that the account knows is counted there alone.
  const trusted = await firstKept(db, device ? [device, known] : [known]);
  const counts = trusted ? [trusted] : [address, account];
  await countAttempts(db, counts);
  return {
    async succeeded(transaction) {
      if (counts.includes(address)) await takeBack(transaction, address);
      await forget(transaction, account);
      await keepKnown(transaction, known);
      if (trusted && trusted === device) await keepKnown(transaction, device);
    },
  };
}

/**
 * Counts an attempt to use a one-time token, by the client's address.
 * @throws too_many_requests (429) with Retry-After
 */
export async function guardToken(
  db: TenantDatabase,
  { realm, address }: Pick<Attempt, 'realm' | 'address'>,
): Promise<AttemptGuard> {
  const count = { kind: `${realm} token address`, subject: addressBlock(address), free: 10, longestWait: 15 * minute };
  await countAttempts(db, [count]);
  return { succeeded: (transaction) => takeBack(transaction, count) };
}

/**
 * Counts a request for a link to be sent to an account. It is no guess, so nothing takes it back.
 * @throws too_many_requests (429) with Retry-After
 */
export async function countLinkRequest(db: TenantDatabase, { realm, account, address }: Attempt): Promise<void> {
  await countAttempts(db, [
    { kind: `${realm} link address`, subject: addressBlock(address), free: 10, longestWait: 15 * minute },
    { kind: `${realm} link account`, subject: account, free: 3, longestWait: 15 * minute },
  ]);
}

/** Makes an address known to an account: its owner has proved themselves there by another secret than the password. */
export async function knowAddress(db: TenantDatabase, attempt: Attempt): Promise<void> {
  await keepKnown(db, countsOf(attempt).known);
}

/**
 * Makes the device of a client known to an account whose owner has just proved themselves on it.
 * @returns the token for the device to keep and to send with its next attempts: the one it sent if the account knows it,
 * else another; one that somebody planted there is never taken
 */
export async function knowDevice(db: TenantDatabase, attempt: Attempt): Promise<string> {
  const { device } = countsOf(attempt);
  if (attempt.device && device && (await firstKept(db, [device]))) {
    await keepKnown(db, device);
    return attempt.device;
  }
  const token = newToken('dvc');
  await keepKnown(db, deviceCount({ ...attempt, device: token }));
  return token;
}

function deviceCount({ realm, account, device }: Attempt): Count {
  return { kind: `${realm} password device`, subject: `${account} ${device}`, free: 10, longestWait: minute };
}

interface Counts {
  address: Count;
  account: Count;
  known: Count;
  device: Count | null;
}

function countsOf(attempt: Attempt): Counts {
  const { realm, account, address: client, device } = attempt;
  const block = addressBlock(client);
  return {
    device: device ? deviceCount(attempt) : null,
    address: { kind: `${realm} password address`, subject: block, free: 20, longestWait: 15 * minute },
    account: { kind: `${realm} password account`, subject: account, free: 10, longestWait: minute },
    known: { kind: `${realm} password known`, subject: `${account} ${block}`, free: 10, longestWait: minute },
  };
}

/** Counts them all or, when one has to wait, none. Always in the given order, so that attempts wait in one line. */
async function countAttempts(db: TenantDatabase, counts: readonly Count[]): Promise<void> {
  await db.transaction(async (transaction) => {
    for (const count of counts) {
      const values = [...placeOf(count), count.free, count.longestWait];
      if ((await transaction.query(countText, values)).length > 0) continue;
      const [left] = await transaction.query<{ seconds: number }>(waitText, values);
      const seconds = Math.max(1, left?.seconds ?? 1);
      throw tooManyRequests(`Try again in ${seconds} s.`, { headers: { 'Retry-After': String(seconds) } });
    }
    await removeExpired(transaction);
  });
}

function placeOf({ kind, subject }: Count): [kind: string, subjectHash: string] {
  return [kind, hashToken(subject)];
}

/** The first of these counts that is kept, in one statement. */
async function firstKept(db: TenantDatabase, counts: readonly Count[]): Promise<Count | null> {
  const places = counts.map(placeOf);
  const [row] = await db.query<{ position: number }>(
    `select position::integer from unnest($2::text[], $3::text[]) with ordinality as wanted (kind, subject_hash, position)
       join auth_attempts using (kind, subject_hash)
      where tenant_id = $1 and expires_at > now() order by position limit 1`,
    [places.map(([kind]) => kind), places.map(([, subject]) => subject)],
  );
  return row ? (counts[row.position - 1] as Count) : null;
}

async function keepKnown(db: TenantDatabase, count: Count): Promise<void> {
  await db.query(
    `insert into auth_attempts (tenant_id, kind, subject_hash, attempts, last_at, expires_at)
     values ($1, $2, $3, 0, now(), now() + interval '${knownDays} days')
     on conflict (tenant_id, kind, subject_hash) do update set attempts = 0, expires_at = excluded.expires_at`,
    placeOf(count),
  );
}

async function takeBack(db: TenantDatabase, count: Count): Promise<void> {
  await db.query(
    `update auth_attempts set attempts = greatest(attempts - 1, 0)
      where tenant_id = $1 and kind = $2 and subject_hash = $3`,
    placeOf(count),
  );
}

async function forget(db: TenantDatabase, count: Count): Promise<void> {
  await db.query('delete from auth_attempts where tenant_id = $1 and kind = $2 and subject_hash = $3', placeOf(count));
}

/** Each attempt adds few rows and removes more, so the table ends by itself. Rows in use are left to the next time. */
async function removeExpired(db: TenantDatabase): Promise<void> {
  await db.query(
    `delete from auth_attempts where tenant_id = $1 and (kind, subject_hash) in (
       select kind, subject_hash from auth_attempts
        where tenant_id = $1 and expires_at <= now() order by expires_at limit 20 for update skip locked)`,
  );
}
