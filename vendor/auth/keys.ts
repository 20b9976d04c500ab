/**
 * Keys that people made and that open the shop without them. Auth keeps none: who does contributes to `staffKeyrings`,
 * so that the keys of somebody who leaves do not outlive their work here unnoticed.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';
import type { StaffKey } from './schemas.ts';

export interface StaffKeyring {
  /** The newest keys for which somebody answers, revoked ones too; `mostKeysListed` at most. */
  list(db: TenantDatabase, staffUserId: string): Promise<StaffKey[]>;
  /**
   * Revokes every key for which somebody answers. Called in the transaction that disables or removes them, which holds
   * their row: whoever makes a key for them meanwhile must hold it too (`holdStaff`).
   */
  revoke(db: TenantDatabase, staffUserId: string): Promise<void>;
}

export const staffKeyrings = extensionPoint<StaffKeyring>('auth.keys');

export const mostKeysListed = 100;

export async function listKeysOf(db: TenantDatabase, staffUserId: string): Promise<StaffKey[]> {
  const lists = await Promise.all(staffKeyrings.of(db).map((keyring) => keyring.list(db, staffUserId)));
  return lists.flat();
}

export async function revokeKeysOf(db: TenantDatabase, staffUserId: string): Promise<void> {
  for (const keyring of staffKeyrings.of(db)) await keyring.revoke(db, staffUserId);
}
