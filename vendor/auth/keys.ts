/**
 * Keys that authenticate integrations on behalf of a member of staff. Auth stores none itself: a package that does
 * contributes to `staffKeyrings`, so that keys are revoked when the person responsible for them is disabled or removed.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';
import type { StaffKey } from './schemas.ts';

export interface StaffKeyring {
  /** The newest keys for which a person is responsible, including revoked ones; at most `maximumListedKeys`. */
  list(db: TenantDatabase, staffUserId: string): Promise<StaffKey[]>;
  /**
   * Revokes all keys for which a person is responsible. Called in the transaction that disables or removes the person,
   * with the person's row locked: the transaction that creates a key must lock it, too (`holdStaff`).
   */
  revoke(db: TenantDatabase, staffUserId: string): Promise<void>;
}

export const staffKeyrings = extensionPoint<StaffKeyring>('auth.keys');

export const maximumListedKeys = 100;

export async function listKeysOf(db: TenantDatabase, staffUserId: string): Promise<StaffKey[]> {
  const lists = await Promise.all(staffKeyrings.of(db).map((keyring) => keyring.list(db, staffUserId)));
  return lists.flat();
}

export async function revokeKeysOf(db: TenantDatabase, staffUserId: string): Promise<void> {
  for (const keyring of staffKeyrings.of(db)) await keyring.revoke(db, staffUserId);
}
