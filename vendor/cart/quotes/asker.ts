/**
 * Who causes services outside of the box to be asked: what one shopper may ask is limited, so that nobody else waits for it.
 */
import { type AttemptGuard, guardSharedCode } from '@carton/auth';
import type { RequestClient, ShopperSession, TenantDatabase } from '@carton/runtime';

export interface Asker {
  readonly session: Pick<ShopperSession, 'memberId' | 'hash'>;
  readonly client: Pick<RequestClient, 'address' | 'isShared'>;
}

/** A shopper who reads or changes a cart. */
export interface CartShopper extends Asker {
  readonly db: TenantDatabase;
  readonly session: ShopperSession;
}

/**
 * Counts a tax number that a shopper tries, of which each may be a question to a service.
 * @throws too_many_requests (429)
 */
export function guardTaxNumber(db: TenantDatabase, { session, client }: Asker): Promise<AttemptGuard> {
  return guardSharedCode(db, {
    realm: 'tax_number',
    member: session.memberId,
    session: session.hash,
    address: client.isShared ? null : client.address,
  });
}
