/**
 * Limits of attempts at codes that anyone may enter: each is counted before it is looked up, or, where none has failed
 * before, once it has failed.
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
  return {
    async succeeded(transaction) {
      for (const count of counts) await uncount(transaction, count);
    },
  };
}

/** An attempt whose end must be told, by one of both. */
export interface CodeGuard extends AttemptGuard {
  /** Counts the attempt, unless it is counted. Call it outside of the transaction that failed. */
  failed(db: TenantDatabase): Promise<void>;
}

/** What attempts of this process that are not counted yet would be counted by. */
const uncounted = new Set<string>();

/**
 * As `guardSharedCode`, for codes that are mostly right: where none has failed within the hour, an attempt is counted once it
 * has failed, so that a right code writes nothing. Meanwhile the attempts beside it are counted first: guesses in parallel
 * exceed the limit by one of each process.
 * @throws too_many_requests (429) with Retry-After
 */
export async function guardTrustedCode(db: TenantDatabase, guesser: CodeGuesser): Promise<CodeGuard> {
  const counts = countsOf(guesser);
  const keys = counts.map(({ kind, subject }) => JSON.stringify([db.tenantId, kind, subject]));
  const counted = async () => ({ ...(await countFirst(db, counts)), failed: async () => {} });
  if (keys.some((key) => uncounted.has(key))) return counted();
  for (const key of keys) uncounted.add(key);
  const end = () => {
    for (const key of keys) uncounted.delete(key);
  };
  try {
    if (counts.length > 0 && (await findFirstStored(db, counts))) {
      const guard = await counted();
      end();
      return guard;
    }
  } catch (error) {
    end();
    throw error;
  }
  return {
    async succeeded() {
      end();
    },
    async failed(outside) {
      try {
        await countAttempts(outside, counts);
      } finally {
        end();
      }
    },
  };
}
