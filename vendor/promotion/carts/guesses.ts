/**
 * Promotion codes are secrets that give something away: a shopper who enters unknown ones has to wait.
 */
import { type CodeGuard, guardTrustedCode } from '@carton/auth';
import type { RequestClient, ShopperSession, TenantDatabase } from '@carton/runtime';

/** Who enters a code. */
export interface Shopper {
  readonly db: TenantDatabase;
  readonly session: ShopperSession;
  readonly client: RequestClient;
}

/**
 * Counts a code as a guess: before it is looked up, or afterwards if it is unknown.
 * @throws too_many_requests (429) after too many unknown codes
 */
export function countGuess({ db, session, client }: Shopper): Promise<CodeGuard> {
  return guardTrustedCode(db, {
    realm: 'promotion',
    member: session.memberId,
    session: session.hash,
    address: client.isShared ? null : client.address,
  });
}
