/**
 * Limits of attempts at codes that anyone may enter: each is counted before it is looked up, or, where none has failed
 * before, once it has failed. In a transaction, such as that of an idempotent request, it is counted again behind the
 * rollback.
 */
import { addressBlock, type TenantDatabase } from '@carton/runtime';
import { countAttempts, minute } from './counts.ts';
import type { AttemptGuard } from './service.ts';
import { type Count, findFirstStored, uncount } from './store.ts';

/** Who enters a code that gives something away, such as a promotion code. */
export interface CodeGuesser {
  realm: string;
  /** The member who is logged in; null for a guest. */
  member: string | null;
  /** What identifies the session of a guest; null without one. */
  session: string | null;
  /** Address of the client; null if other clients may share it, whose right codes would be refused. */
  address: string | null;
}

/**
 * What attempts are counted by: of a member by the member, so that no one else's guesses matter; of a guest by the session
 * and by the address, at which guests can begin any number of sessions. An address has the larger budget and the shorter
 * wait, since people share it.
 */
function countsOf({ realm, member, session, address }: CodeGuesser): Count[] {
  const own = member ?? session;
  const counts: Count[] = [];
  if (address !== null && member === null)
    counts.push({ kind: `${realm} code address`, subject: addressBlock(address), free: 30, longestWait: minute });
  if (own !== null)
    counts.push({
      kind: `${realm} code ${member === null ? 'session' : 'member'}`,
      subject: own,
      free: 10,
      longestWait: 15 * minute,
    });
  return counts;
}

/**
 * Counts an attempt at a code that anyone may enter, before it is looked up. A right code does not count.
 * @throws too_many_requests (429) with Retry-After
 */
export function guardSharedCode(db: TenantDatabase, guesser: CodeGuesser): Promise<AttemptGuard> {
  return countFirst(db, countsOf(guesser));
}

async function countFirst(db: TenantDatabase, counts: readonly Count[]): Promise<AttemptGuard> {
  await countAttempts(db, counts);
  let isRight = false;
  if (db.inTransaction) db.afterRollback(async (outside) => isRight || countAttempts(outside, counts));
  return {
    async succeeded(transaction) {
      isRight = true;
      for (const count of counts) await uncount(transaction, count);
    },
  };
}

/** An attempt that is being made. */
export interface TriedCode extends AttemptGuard {
  /** Call it in the transaction of the attempt, where it shares a round trip with the look-up. */
  mayBeFirst(transaction: TenantDatabase): Promise<void>;
}

/** An attempt that has to be counted before the code is looked up. */
class NotFirst extends Error {}

/** What attempts of this process that are not counted yet would be counted by. */
const uncounted = new Set<string>();

/**
 * Makes an attempt as `guardSharedCode` would, for codes that are mostly right: where none has failed within the hour, an
 * attempt is counted once it has failed, so that a right code writes nothing. Meanwhile the attempts beside it are counted
 * first: guesses in parallel exceed the limit by one of each process.
 * @param attempt tries the code in a transaction; called again if another attempt has failed before. An error before
 *   `succeeded` is called counts, since the code may be wrong
 * @throws too_many_requests (429) with Retry-After, and what the attempt throws
 */
export async function tryTrustedCode<T>(
  db: TenantDatabase,
  guesser: CodeGuesser,
  attempt: (tried: TriedCode) => Promise<T>,
): Promise<T> {
  const counts = countsOf(guesser);
  const keys = counts.map(({ kind, subject }) => JSON.stringify([db.tenantId, kind, subject]));
  if (keys.some((key) => uncounted.has(key))) return tryCounted(db, counts, attempt);
  for (const key of keys) uncounted.add(key);
  try {
    return await tryUncounted(db, counts, attempt);
  } catch (error) {
    if (error instanceof NotFirst) return await tryCounted(db, counts, attempt);
    throw error;
  } finally {
    for (const key of keys) uncounted.delete(key);
  }
}

async function tryUncounted<T>(
  db: TenantDatabase,
  counts: readonly Count[],
  attempt: (tried: TriedCode) => Promise<T>,
): Promise<T> {
  let isRight = false;
  const tried: TriedCode = {
    async mayBeFirst(transaction) {
      if (counts.length > 0 && (await findFirstStored(transaction, counts))) throw new NotFirst();
    },
    async succeeded() {
      isRight = true;
    },
  };
  try {
    return await attempt(tried);
  } catch (error) {
    const isWrong = !isRight && !(error instanceof NotFirst);
    if (isWrong && db.inTransaction) db.afterRollback((outside) => countAttempts(outside, counts));
    else if (isWrong) await countAttempts(db, counts);
    throw error;
  }
}

async function tryCounted<T>(
  db: TenantDatabase,
  counts: readonly Count[],
  attempt: (tried: TriedCode) => Promise<T>,
): Promise<T> {
  const guard = await countFirst(db, counts);
  let isRight = false;
  try {
    return await attempt({
      mayBeFirst: async () => {},
      succeeded(transaction) {
        isRight = true;
        return guard.succeeded(transaction);
      },
    });
  } catch (error) {
    // The transaction of the attempt has taken it off in vain.
    if (isRight && !db.inTransaction) await guard.succeeded(db);
    throw error;
  }
}
