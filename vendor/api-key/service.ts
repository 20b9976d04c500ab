/**
 * Rules of API keys: who may make which, and what becomes of them.
 */
import { holdStaff, mostKeysListed, refuseGrantBeyond, type StaffKeyring } from '@carton/auth';
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
import { type Kind, makeKey } from './key.ts';
import type { ApiKey, ChangeApiKey, CreateApiKey, CreatedApiKey } from './schemas.ts';
import { apiKeys } from './store.ts';

export const keyRevoked = defineProblem({ code: 'api_key_revoked', status: 409, title: 'This key is revoked' });

type Caller = Pick<ServicesFor<'staff'>, 'db' | 'staff' | 'box'>;

/**
 * Makes a key; the secret is in this answer alone.
 * @throws invalid_request (400), forbidden (403) for scopes that the caller does not have
 */
export async function createKey({ db, staff, box }: Caller, body: CreateApiKey): Promise<CreatedApiKey> {
  const { kind, scopes, expiresAt } = body;
  refuseWrongScopes(kind, scopes, box.permissions);
  refuseGrantBeyond(staff, scopes);
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now())
    throw invalidField('/expiresAt', 'is in the past');
  const { key, hash: keyHash, lastFour } = makeKey(kind);
  return db.transaction(async (tx) => {
    const by = { createdBy: staff.label, createdById: await answersFor(tx, staff) };
    const made = await apiKeys.insert(tx, { ...body, keyHash, lastFour, ...by });
    await publishRow(tx, apiKeyCreated, 'api_key', made);
    return { ...made, key };
  });
}

/**
 * Renames a key or changes its scopes.
 * @throws not_found (404), api_key_revoked (409), invalid_request (400),
 * forbidden (403) when the key has, or is to have, scopes that the caller does not have
 */
export async function changeKey({ db, staff, box }: Caller, id: string, change: ChangeApiKey): Promise<ApiKey> {
  return db.transaction(async (tx) => {
    const key = await apiKeys.lock(tx, id);
    if (key.revokedAt !== null) throw keyRevoked('A revoked key stays as it was.');
    refuseGrantBeyond(staff, key.scopes);
    if (change.scopes) {
      refuseWrongScopes(key.kind, change.scopes, box.permissions);
      refuseGrantBeyond(staff, change.scopes);
    }
    return apiKeys.change(tx, id, change);
  });
}

/**
 * Revokes a key, for good. It takes rights away and gives none, so whoever manages keys may do it to any: who finds a
 * leaked key must not have to look for an owner. Revoking it again changes nothing.
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

/** The keys of a member of staff, for whoever disables or removes them. */
export const apiKeyring: StaffKeyring = {
  list: (db, createdById) => apiKeys.findAllBy(db, { createdById }, mostKeysListed),
  async revoke(db, createdById) {
    for (const { id } of await apiKeys.lockAllBy(db, { createdById, revokedAt: null })) await revokeLocked(db, id);
  },
};

/**
 * Who answers for a key that a caller makes: the member of staff, or whoever answers for the calling key; null for a
 * key of nobody's. Neither can be disabled or revoked from here on until the key is made: then it is seen, and revoked
 * too.
 * @throws unauthenticated (401) when that has just happened
 */
async function answersFor(tx: TenantDatabase, { type, id }: StaffCaller): Promise<string | null> {
  if (type === 'staff') {
    if (!(await holdStaff(tx, id))) throw unauthenticated();
    return id;
  }
  if (type !== 'api_key') return null;
  const { createdById } = await apiKeys.require(tx, id);
  // The person before the key, as whoever disables them does.
  if (createdById !== null) await holdStaff(tx, createdById);
  const held = await apiKeys.hold(tx, id);
  if (held?.revokedAt !== null) throw unauthenticated();
  return createdById;
}

function refuseWrongScopes(kind: Kind, scopes: readonly string[], known: readonly string[]): void {
  if (kind === 'secret' && scopes.length === 0) throw invalidField('/scopes', 'must name what the key is for');
  if (kind === 'publishable' && scopes.length > 0)
    throw invalidField('/scopes', 'must be empty: it opens no staff route');
  const unknown = scopes.findIndex((scope) => scope !== '*' && !known.includes(scope));
  if (unknown >= 0) throw invalidField(`/scopes/${unknown}`, 'is no permission of this box');
}
