/**
 * How often secrets may be guessed. Attempts are counted in the database, so that all replicas of a box share the
 * counts, and before the secret is looked at: of many attempts at once none slips past. Some are free; after them each
 * waits twice as long as the one before, up to a longest wait. A success takes its own attempt back.
 *
 * Guessing must not lock an account's owner out. A client address from which the account's password was right before is
 * counted by itself, so that guesses from elsewhere do not touch it; and from a new address the longest wait is short.
 * An account that does not exist is counted like one that does.
 */
import { addressBlock, hashToken, type TenantDatabase, tooManyRequests } from '@carton/runtime';

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
}

const minute = 60;

/** An address from which the password was right is known for this long after the last time. */
const knownDays = 90;

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
  const { address, account, known } = countsOf(attempt);
  // Who comes from an address that the account knows is counted there alone.
  const counts = (await isKept(db, known)) ? [known] : [address, account];
  await countAttempts(db, counts);
  return {
    async succeeded(transaction) {
      if (counts.includes(address)) await takeBack(transaction, address);
      await forget(transaction, account);
      await keepKnown(transaction, known);
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

function countsOf({ realm, account, address: client }: Attempt): Record<'address' | 'account' | 'known', Count> {
  const block = addressBlock(client);
  return {
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

async function isKept(db: TenantDatabase, count: Count): Promise<boolean> {
  const rows = await db.query(
    'select 1 from auth_attempts where tenant_id = $1 and kind = $2 and subject_hash = $3 and expires_at > now()',
    placeOf(count),
  );
  return rows.length > 0;
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
