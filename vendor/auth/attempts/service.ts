/**
 * Limits of attempts to guess secrets.
 *
 * Passwords and codes can be guessed: they are counted before they are checked, by account and by client address, each
 * with a limit of its own. A success does not count. Guessing must not lock the owner out of an account, however many
 * addresses it comes from. So devices and client addresses that have logged in to the account before, and its open
 * sessions, are known and have counts of their own, which guesses from elsewhere do not raise. A device proves itself by a
 * token (OWASP, "device cookies"). A new device cannot be told from the attackers during an attack; resetting the
 * password by a link makes it trusted. An account that does not exist is counted like one that does.
 *
 * One-time tokens have 256 random bits and cannot be guessed: they are looked up first, and only wrong ones are counted,
 * apart by what they are for. Nobody who has a right one is refused for those of others.
 */
import { addressBlock, type TenantDatabase } from '@carton/runtime';
import { newToken } from '../secrets.ts';
import { type Attempt, countAttempts, countsOf, deviceCountOf, minute } from './counts.ts';
import { type Count, countAttempt, deleteCount, findFirstStored, storeTrusted, uncount } from './store.ts';

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

/**
 * The rate class of routes whose wrong passwords or tokens are counted here: they do not share the limit of class `login`,
 * by which one client could shut out the others at its address.
 */
export const limitedByAttempts = { rateLimit: 'write' } as const;

/**
 * Counts an attempt at the password of an account.
 * @throws too_many_requests (429) with Retry-After while the account or the address has to wait
 */
export async function guardPassword(db: TenantDatabase, attempt: Attempt): Promise<PasswordGuard> {
  const { address, account, trustedAddress, device, session } = countsOf(attempt);
  // An attempt in a session, or from a trusted device or address, is counted for that session, device or address only.
  const known = session ?? (await findFirstStored(db, device ? [device, trustedAddress] : [trustedAddress]));
  const counts = known ? [known] : [address, account];
  await countAttempts(db, counts);
  return {
    async passed(transaction) {
      for (const count of counts) await uncount(transaction, count);
    },
    async succeeded(transaction) {
      if (counts.includes(address)) await uncount(transaction, address);
      await deleteCount(transaction, account);
      await storeTrusted(transaction, trustedAddress);
      if (session) await deleteCount(transaction, session);
      if (known && known === device) await storeTrusted(transaction, device);
    },
  };
}

/**
 * Counts a wrong one-time token against the client's address. Call it once no right one was found.
 * @param token what it is for, such as `invite`
 * @throws too_many_requests (429) with Retry-After
 */
export async function countWrongToken(
  db: TenantDatabase,
  { realm, token, address }: { realm: string; token: string; address: string },
): Promise<void> {
  const kind = `${realm} ${token} token address`;
  await countAttempts(db, [{ kind, subject: addressBlock(address), free: 10, longestWait: 15 * minute }]);
}

/**
 * Counts a code of the second factor, by account and by address. Six digits allow less than passwords: at the longest wait
 * a guesser tries 96 codes a day. Only those who know the password, or have a session, can send one. Sessions and trusted
 * devices share a count, so that the former do not lock out the owner, and the latter do not have one each.
 * @throws too_many_requests (429) with Retry-After
 */
export async function guardCode(db: TenantDatabase, attempt: Attempt): Promise<AttemptGuard> {
  const { realm, account: subject, address } = attempt;
  const { device, session } = countsOf(attempt);
  const isKnown = session !== null || (device !== null && (await findFirstStored(db, [device])) !== null);
  const limits = { free: 5, longestWait: 15 * minute };
  const own: Count = { kind: `${realm} code ${isKnown ? 'known' : 'account'}`, subject, ...limits };
  const ofAddress: Count = { kind: `${realm} code address`, subject: addressBlock(address), ...limits, free: 20 };
  await countAttempts(db, isKnown ? [own] : [ofAddress, own]);
  return {
    async succeeded(transaction) {
      if (!isKnown) await uncount(transaction, ofAddress);
      await deleteCount(transaction, own);
    },
  };
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
  const isDue = await countAttempt(db, count);
  return isDue;
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
