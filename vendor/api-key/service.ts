/**
 * Rules of API keys: who can create, change and revoke them.
 */
import { holdStaff, maximumListedKeys, refuseGrantBeyond, type StaffKeyring } from '@carton/auth';
import {
  defineProblem,
  invalidField,
  publishRow,
  type ServicesFor,
  type StaffCaller,
  type TenantDatabase,
  unauthenticated,
} from '@carton/runtime';
import { apiKeyCreated, apiKeyRevoked } from './events.ts';
import { generateKey, type Kind } from './key.ts';
import type { ApiKey, ChangeApiKey, CreateApiKey, CreatedApiKey } from './schemas.ts';
import { apiKeys } from './store.ts';

export const keyRevoked = defineProblem({
  code: 'api_key_revoked',
  status: 409,
  title: 'This API key has been revoked',
});

type Caller = Pick<ServicesFor<'staff'>, 'db' | 'staff' | 'box'>;

/**
 * Creates a key. The secret is returned only here.
 * @throws invalid_request (400), forbidden (403) for scopes that the caller does not have
 */
export async function createKey({ db, staff, box }: Caller, body: CreateApiKey): Promise<CreatedApiKey> {
  const { kind, scopes, expiresAt } = body;
  requireValidScopes(kind, scopes, box.permissions);
  refuseGrantBeyond(staff, scopes);
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now())
    throw invalidField('/expiresAt', 'is in the past');
  const { key, hash: keyHash, lastFour } = generateKey(kind);
  return db.transaction(async (tx) => {
    const creator = { createdBy: staff.label, createdById: await findResponsible(tx, staff) };
    const created = await apiKeys.insert(tx, { ...body, keyHash, lastFour, ...creator });
    await publishRow(tx, apiKeyCreated, 'api_key', created);
    return { ...created, key };
  });
}

/**
 * Renames a key or changes its scopes.
 * @throws not_found (404), api_key_revoked (409), invalid_request (400),
 * forbidden (403) if the present or the new scopes exceed the permissions of the caller
 */
export async function changeKey({ db, staff, box }: Caller, id: string, change: ChangeApiKey): Promise<ApiKey> {
  return db.transaction(async (tx) => {
    const key = await apiKeys.lock(tx, id);
    if (key.revokedAt !== null) throw keyRevoked('A revoked key cannot be changed.');
    refuseGrantBeyond(staff, key.scopes);
    if (change.scopes) {
      requireValidScopes(key.kind, change.scopes, box.permissions);
      refuseGrantBeyond(staff, change.scopes);
    }
    return apiKeys.change(tx, id, change);
  });
}

/**
 * Revokes a key permanently; revoking it again has no effect. Everyone who manages keys can revoke any key, whatever
 * its scopes, since a leaked key must not have to wait for its owner.
 * @throws not_found (404)
 */
export function revokeKey(db: TenantDatabase, id: string): Promise<ApiKey> {
  return db.transaction(async (tx) => {
    const key = await apiKeys.lock(tx, id);
    return key.revokedAt === null ? revokeLocked(tx, id) : key;
  });
}

async function revokeLocked(tx: TenantDatabase, id: string): Promise<ApiKey> {
  const revoked = await apiKeys.change(tx, id, { revokedAt: new Date().toISOString() });
  await publishRow(tx, apiKeyRevoked, 'api_key', revoked);
  return revoked;
}

/** The keys of a member of staff, for `@carton/auth`. */
export const apiKeyring: StaffKeyring = {
  list: (db, createdById) => apiKeys.findAllBy(db, { createdById }, maximumListedKeys),
  async revoke(db, createdById) {
    for (const { id } of await apiKeys.lockAllBy(db, { createdById, revokedAt: null })) await revokeLocked(db, id);
  },
};

/**
 * The member of staff who is responsible for a new key: its creator, or the one responsible for the key that creates
 * it; null if there is none. Takes share locks on both, so that neither is disabled or revoked before the new key is
 * visible and revoked with them.
 * @throws unauthenticated (401) if that has just happened
 */
async function findResponsible(tx: TenantDatabase, { type, id }: StaffCaller): Promise<string | null> {
  if (type === 'staff') {
    if (!(await holdStaff(tx, id))) throw unauthenticated();
    return id;
  }
  if (type !== 'api_key') return null;
  const { createdById } = await apiKeys.require(tx, id);
  // Disabling a person locks the person before the keys: so does this.
  if (createdById !== null) await holdStaff(tx, createdById);
  const held = await apiKeys.lockShared(tx, id);
  if (held?.revokedAt !== null) throw unauthenticated();
  return createdById;
}

function requireValidScopes(kind: Kind, scopes: readonly string[], known: readonly string[]): void {
  if (kind === 'secret' && scopes.length === 0) throw invalidField('/scopes', 'must have at least one permission');
  if (kind === 'publishable' && scopes.length > 0) throw invalidField('/scopes', 'must be empty for a publishable key');
  const unknown = scopes.findIndex((scope) => scope !== '*' && !known.includes(scope));
  if (unknown >= 0) throw invalidField(`/scopes/${unknown}`, 'is not a permission of this box');
}
