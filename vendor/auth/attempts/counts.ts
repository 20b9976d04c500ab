/**
 * What attempts are counted by, and counting them.
 */
import { addressBlock, type TenantDatabase, tooManyRequests } from '@carton/runtime';
import { type Count, countAttempt, secondsToWait } from './store.ts';

export const minute = 60;

/** An attempt to log in to an account. `realm` separates the accounts of different packages. */
export interface Attempt {
  realm: string;
  /** The normalized name of the account: an e-mail address in lower case. */
  account: string;
  /** Address of the client. */
  address: string;
  /** The token of a trusted device (`trustDevice`), if the client sends one. */
  device?: string | null | undefined;
  /** What identifies the open session of the account in which the attempt is made, if it is made in one. */
  session?: string | null | undefined;
}

/**
 * Counts all of them, or none if one has to wait. All callers use the same order, so concurrent attempts cannot
 * deadlock.
 * @throws too_many_requests (429) with Retry-After
 */
export async function countAttempts(db: TenantDatabase, counts: readonly Count[]): Promise<void> {
  const [first, ...others] = counts;
  // A single one needs no transaction, and takes one round trip.
  if (first && others.length === 0) return countOrRefuse(db, first);
  await db.transaction(async (transaction) => {
    for (const count of counts) await countOrRefuse(transaction, count);
  });
}

async function countOrRefuse(db: TenantDatabase, count: Count): Promise<void> {
  if (await countAttempt(db, count)) return;
  const seconds = Math.max(1, (await secondsToWait(db, count)) ?? 1);
  throw tooManyRequests(`Try again in ${seconds} s.`, { headers: { 'Retry-After': String(seconds) } });
}

/** The count of a trusted device. */
export function deviceCountOf({ realm, account, device }: Attempt): Count {
  return { kind: `${realm} password device`, subject: `${account} ${device}`, free: 10, longestWait: minute };
}

interface Counts {
  address: Count;
  account: Count;
  trustedAddress: Count;
  device: Count | null;
  session: Count | null;
}

/** What an attempt at a password is counted by, with the limits. */
export function countsOf(attempt: Attempt): Counts {
  const { realm, account, address: client, device, session } = attempt;
  const block = addressBlock(client);
  return {
    device: device ? deviceCountOf(attempt) : null,
    session: session
      ? { kind: `${realm} password session`, subject: `${account} ${session}`, free: 10, longestWait: minute }
      : null,
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
