/**
 * Promotion codes are secrets that give something away: a shopper who enters unknown ones has to wait.
 */
import { type TriedCode, tryTrustedCode } from '@carton/auth';
import type { RequestClient, ShopperSession, TenantDatabase } from '@carton/runtime';

/** Who enters a code. */
export interface Shopper {
  readonly db: TenantDatabase;
  readonly session: ShopperSession;
  readonly client: RequestClient;
}

/**
 * Tries a code, which counts as a guess if it is unknown.
 * @throws too_many_requests (429) after too many unknown codes, and what the attempt throws
 */
export function countGuess<T>({ db, session, client }: Shopper, attempt: (tried: TriedCode) => Promise<T>): Promise<T> {
  const guesser = {
    realm: 'promotion',
    member: session.memberId,
    session: session.hash,
    address: client.isShared ? null : client.address,
  };
  return tryTrustedCode(db, guesser, attempt);
}
