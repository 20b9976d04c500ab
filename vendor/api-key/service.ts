/**
 * Rules of API keys: who can create, change and revoke them.
 */
import {
  holdStaff,
  maximumListedKeys,
  permits,
  refuseGrantBeyond,
  type StaffKeyring,
  withdrawInvitesBeyond,
} from '@carton/auth';
import {
  bearerToken,
  invalidField,
  publishRow,
  type ServicesFor,
  type StaffCaller,
  type TenantDatabase,
  unauthenticated,
} from '@carton/runtime';
import { apiKeyCreated, apiKeyRevoked, apiKeyRotated } from './events.ts';
import { generateKey, hashOfKey, type Kind } from './key.ts';
import {
  ancestorsOf,
  eachBelow,
  eachWithPermissions,
  expiryWithin,
  requireBelow,
  requireRevocable,
  requireScopesWithin,
  scopesWithin,
  withPermissions,
} from './lineage.ts';
import { keyRevoked } from './problems.ts';
import type { ApiKey, ChangeApiKey, CreateApiKey, CreatedApiKey, StoredKey } from './schemas.ts';
import { apiKeys } from './store.ts';

type Caller = Pick<ServicesFor<'staff'>, 'db' | 'staff' | 'box'>;
type Creator = Caller & Pick<ServicesFor<'staff'>, 'headers'>;

/**
 * Creates a key. The secret is returned only here.
 * @throws invalid_request (400), forbidden (403) for scopes that the caller does not have
 */
export async function createKey({ db, staff, box, headers }: Creator, body: CreateApiKey): Promise<CreatedApiKey> {
  const { kind, scopes, expiresAt } = body;
  requireValidScopes(kind, scopes, box.permissions);
  refuseGrantBeyond(staff, scopes);
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now())
    throw invalidField('/expiresAt', 'is in the past');
  const { key, hash: keyHash, lastFour } = generateKey(kind);
  return db.transaction(async (tx) => {
    const { createdById, parent } = await findCreator(tx, staff, hashOfKey(bearerToken({ headers }) ?? ''));
    const creator = { createdBy: staff.label, createdById, parentId: parent?.id ?? null };
    const limits = { expiresAt: expiryWithin(expiresAt, parent) };
    const created = await apiKeys.insert(tx, { ...body, keyHash, lastFour, ...creator, ...limits });
    await publishRow(tx, apiKeyCreated, 'api_key', created);
    return { ...(await withPermissions(tx, created)), key };
  });
}

/**
 * Renames a key or changes its scopes.
 * @throws not_found (404), api_key_revoked (409), invalid_request (400),
 * forbidden (403) if the present or the new scopes exceed the permissions of the caller, or if a key adds scopes to a key
 * that does not end with it
 */
export async function changeKey({ db, staff, box }: Caller, id: string, change: ChangeApiKey): Promise<ApiKey> {
  return db.transaction(async (tx) => {
    const key = await apiKeys.lock(tx, id);
    if (key.revokedAt !== null) throw keyRevoked('A revoked key cannot be changed.');
    refuseGrantBeyond(staff, key.scopes);
    if (change.scopes) {
      requireValidScopes(key.kind, change.scopes, box.permissions);
      refuseGrantBeyond(staff, change.scopes);
      const ancestors = await ancestorsOf(tx, key);
      await requireScopesWithin(tx, change.scopes, key, ancestors);
      if (change.scopes.some((scope) => !permits(key.scopes, scope)))
        requireBelow(staff, key, ancestors, 'add scopes to');
    }
    return withPermissions(tx, await apiKeys.change(tx, id, change));
  });
}

/**
 * Replaces the text of a key, for example because it leaked. The new one has what the former had: scopes, expiry and
 * creator. Keys that the former has created end.
 * @throws not_found (404), api_key_revoked (409),
 * forbidden (403) for scopes that the caller does not have, or if a key rotates a key that does not end with it
 */
export function rotateKey({ db, staff }: Caller, id: string): Promise<CreatedApiKey> {
  return db.transaction(async (tx) => {
    const locked = await apiKeys.lock(tx, id);
    if (locked.revokedAt !== null) throw keyRevoked('A revoked key cannot be rotated.');
    refuseGrantBeyond(staff, locked.scopes);
    requireBelow(staff, locked, await ancestorsOf(tx, locked), 'rotate');
    await eachBelow(tx, id, (below) => revokeLocked(tx, below));
    const { key, hash: keyHash, lastFour } = generateKey(locked.kind);
    const rotated = await apiKeys.change(tx, id, { keyHash, lastFour });
    await publishRow(tx, apiKeyRotated, 'api_key', rotated);
    return { ...(await withPermissions(tx, rotated)), key };
  });
}

/**
 * Revokes a key permanently, and the keys that it has created; revoking it again has no effect. A leaked key does not have
 * to wait for its owner: it can revoke itself.
 * @throws not_found (404), forbidden (403) for scopes that the caller does not have
 */
export function revokeKey({ db, staff }: Caller, id: string): Promise<ApiKey> {
  return db.transaction(async (tx) => {
    const key = await apiKeys.lock(tx, id);
    requireRevocable(staff, key, await ancestorsOf(tx, key));
    await eachBelow(tx, id, (below) => revokeLocked(tx, below));
    return withPermissions(tx, key.revokedAt === null ? await revokeLocked(tx, id) : key);
  });
}

async function revokeLocked(tx: TenantDatabase, id: string): Promise<StoredKey> {
  const revoked = await apiKeys.change(tx, id, { revokedAt: new Date().toISOString() });
  await publishRow(tx, apiKeyRevoked, 'api_key', revoked);
  await withdrawInvitesBeyond(tx, { type: 'api_key', id });
  return revoked;
}

/** The keys of a member of staff, for `@carton/auth`. */
export const apiKeyring: StaffKeyring = {
  async list(db, createdById) {
    const keys = await apiKeys.findAllBy(db, { createdById }, maximumListedKeys);
    return eachWithPermissions(db, keys);
  },
  async revoke(db, createdById) {
    for (const { id } of await apiKeys.lockAllBy(db, { createdById, revokedAt: null })) await revokeLocked(db, id);
  },
  async narrow(db, createdById, permissions, known) {
    for (const { id, kind, scopes } of await apiKeys.lockAllBy(db, { createdById, revokedAt: null })) {
      if (scopes.every((scope) => permits(permissions, scope))) continue;
      const left = scopesWithin(scopes, permissions, known);
      // A secret key has at least one scope.
      if (kind === 'secret' && left.length === 0) await revokeLocked(db, id);
      else await apiKeys.change(db, id, { scopes: [...left] });
    }
  },
  async permissionsOf(db, id) {
    const key = await apiKeys.find(db, id);
    return key && (await withPermissions(db, key)).permissions;
  },
};

/**
 * The key that creates a new one, if a key does, and the member of staff who is responsible for the new key: its creator,
 * or the one responsible for the key that creates it; null if there is none. Takes share locks on both, so that neither is
 * disabled, revoked or rotated before the new key is visible and revoked with them.
 * @param keyHash of the key that the request has sent
 * @throws unauthenticated (401) if that has just happened
 */
async function findCreator(
  tx: TenantDatabase,
  { type, id }: StaffCaller,
  keyHash: string | null,
): Promise<{ createdById: string | null; parent: StoredKey | null }> {
  if (type === 'staff') {
    if (!(await holdStaff(tx, id))) throw unauthenticated();
    return { createdById: id, parent: null };
  }
  if (type !== 'api_key') return { createdById: null, parent: null };
  const { createdById } = await apiKeys.require(tx, id);
  // Disabling a person locks the person before the keys: so does this.
  if (createdById !== null) await holdStaff(tx, createdById);
  const held = await apiKeys.lockShared(tx, id);
  if (held?.revokedAt !== null || held.keyHash !== keyHash) throw unauthenticated();
  return { createdById, parent: held };
}

function requireValidScopes(kind: Kind, scopes: readonly string[], known: readonly string[]): void {
  if (kind === 'secret' && scopes.length === 0) throw invalidField('/scopes', 'must have at least one permission');
  if (kind === 'publishable' && scopes.length > 0) throw invalidField('/scopes', 'must be empty for a publishable key');
  const unknown = scopes.findIndex((scope) => scope !== '*' && !known.includes(scope));
  if (unknown >= 0) throw invalidField(`/scopes/${unknown}`, 'is not a permission of this box');
}
