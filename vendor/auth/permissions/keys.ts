/**
 * Keys that authenticate integrations on behalf of a member of staff. Auth stores none itself: a package that does
 * contributes to `staffKeyrings`, so that keys are revoked when the person responsible for them is disabled or removed.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';
import { staffUsers } from '../store.ts';
import type { StaffKey } from './schemas.ts';
import { permissionsOf } from './service.ts';

export interface StaffKeyring {
  /** The newest keys for which a person is responsible, including revoked ones; at most `maximumListedKeys`. */
  list(db: TenantDatabase, staffUserId: string): Promise<StaffKey[]>;
  /**
   * Revokes all keys for which a person is responsible. Called in the transaction that disables or removes the person,
   * with the person's row locked: the transaction that creates a key must lock it, too (`holdStaff`).
   */
  revoke(db: TenantDatabase, staffUserId: string): Promise<void>;
  /**
   * Limits the keys of a person for good, in the transaction that removes the person and keeps the keys.
   * @param permissions those of the person
   * @param known all permissions of the box
   */
  narrow(
    db: TenantDatabase,
    staffUserId: string,
    permissions: readonly string[],
    known: readonly string[],
  ): Promise<void>;
  /** What a key may do now; nothing once it has ended, null for an unknown key. */
  permissionsOf(db: TenantDatabase, keyId: string): Promise<readonly string[] | null>;
}

/** Keys that members of staff create, which lose what their creator loses. */
export const staffKeyrings = extensionPoint<StaffKeyring>('auth.keys');
export const maximumListedKeys = 100;

export async function listKeysOf(db: TenantDatabase, staffUserId: string): Promise<StaffKey[]> {
  const lists = await Promise.all(staffKeyrings.of(db).map((keyring) => keyring.list(db, staffUserId)));
  return lists.flat();
}

/**
 * The permissions of the person who is responsible for a key, which limit it at each use; null if the person has been
 * removed. A disabled person's keys are revoked or deliberately kept, so the status does not matter.
 */
export async function permissionsOfResponsible(
  db: TenantDatabase,
  staffUserId: string,
): Promise<readonly string[] | null> {
  const person = await staffUsers.find(db, staffUserId);
  return person && permissionsOf(db, { type: 'staff', id: person.id, role: person.role });
}

export async function narrowKeysOf(db: TenantDatabase, staffUserId: string, known: readonly string[]): Promise<void> {
  const permissions = (await permissionsOfResponsible(db, staffUserId)) ?? [];
  for (const keyring of staffKeyrings.of(db)) await keyring.narrow(db, staffUserId, permissions, known);
}

export async function revokeKeysOf(db: TenantDatabase, staffUserId: string): Promise<void> {
  for (const keyring of staffKeyrings.of(db)) await keyring.revoke(db, staffUserId);
}
