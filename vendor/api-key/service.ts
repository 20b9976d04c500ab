/**
 * Rules of API keys: who may make which, and what becomes of them.
 */
import { holdStaff, mostKeysListed, refuseGrantBeyond, type StaffKeyring } from '@carton/auth';
import {
  type BoxServices,
  defineProblem,
  invalidField,
  json,
  newId,
  notFound,
  publish,
  type StaffCaller,
  type TenantDatabase,
  unauthenticated,
} from '@carton/runtime';
import { apiKeyCreated, apiKeyRevoked } from './events.ts';
import { type Kind, makeKey } from './key.ts';
import type { ApiKey, ChangeApiKey, CreateApiKey, CreatedApiKey } from './schemas.ts';
import { findKeyById, holdKey, listKeysOf, lockKey, lockKeysOf } from './store.ts';

export const keyRevoked = defineProblem({ code: 'api_key_revoked', status: 409, title: 'This key is revoked' });

type Caller = Pick<BoxServices, 'db' | 'staff' | 'box'>;

/** @throws not_found (404) */
export async function readKey(db: TenantDatabase, id: string): Promise<ApiKey> {
  return (await findKeyById(db, id)) ?? unknownKey(id);
}

/**
 * Makes a key; the secret is in this answer alone.
 * @throws invalid_request (400), forbidden (403) for scopes that the caller does not have
 */
export async function createKey({ db, staff, box }: Caller, body: CreateApiKey): Promise<CreatedApiKey> {
  const { name, kind, scopes = [], expiresAt, externalId = null, metadata = {} } = body;
  refuseWrongScopes(kind, scopes, box.permissions);
  refuseGrantBeyond(staff, scopes);
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now())
    throw invalidField('/expiresAt', 'is in the past');
  const { key, hash, lastFour } = makeKey(kind);
  return db.transaction(async (transaction) => {
    const by = { createdBy: staff.label, createdById: await answersFor(transaction, staff) };
    const values = { id: newId(), name, kind, keyHash: hash, lastFour, scopes, expiresAt, ...by };
    const made = await transaction.insert<ApiKey>('api_keys', { ...values, externalId, metadata: json(metadata) });
    await publish(transaction, apiKeyCreated, { type: 'api_key', id: made.id }, { name, kind, lastFour });
    return { ...made, key };
  });
}

/**
 * Renames a key or changes its scopes.
 * @throws not_found (404), api_key_revoked (409), invalid_request (400),
 * forbidden (403) when the key has, or is to have, scopes that the caller does not have
 */
export async function changeKey({ db, staff, box }: Caller, id: string, change: ChangeApiKey): Promise<ApiKey> {
  return db.transaction(async (transaction) => {
    const key = (await lockKey(transaction, id)) ?? unknownKey(id);
    if (key.revokedAt !== null) throw keyRevoked('A revoked key stays as it was.');
    refuseGrantBeyond(staff, key.scopes);
    if (change.scopes) {
      refuseWrongScopes(key.kind, change.scopes, box.permissions);
      refuseGrantBeyond(staff, change.scopes);
    }
    const [changed] = await transaction.update<ApiKey>(
      'api_keys',
      { id },
      { ...change, metadata: change.metadata && json(change.metadata), updatedAt: new Date() },
    );
    return changed as ApiKey;
  });
}

/**
 * Revokes a key, for good. It takes rights away and gives none, so whoever manages keys may do it to any: who finds a
 * leaked key must not have to look for an owner. Revoking it again changes nothing.
 * @throws not_found (404)
 */
export async function revokeKey({ db }: Pick<Caller, 'db'>, id: string): Promise<ApiKey> {
  return db.transaction(async (transaction) => {
    const key = (await lockKey(transaction, id)) ?? unknownKey(id);
    return key.revokedAt === null ? revokeLocked(transaction, key) : key;
  });
}

async function revokeLocked(transaction: TenantDatabase, { id, name, kind, lastFour }: ApiKey): Promise<ApiKey> {
  const now = new Date();
  const [revoked] = await transaction.update<ApiKey>('api_keys', { id }, { revokedAt: now, updatedAt: now });
  await publish(transaction, apiKeyRevoked, { type: 'api_key', id }, { name, kind, lastFour });
  return revoked as ApiKey;
}

/** The keys of a member of staff, for whoever disables or removes them. */
export const apiKeyring: StaffKeyring = {
  list: (db, staffUserId) => listKeysOf(db, staffUserId, mostKeysListed),
  async revoke(db, staffUserId) {
    for (const key of await lockKeysOf(db, staffUserId)) await revokeLocked(db, key);
  },
};

/**
 * Who answers for a key that a caller makes: the member of staff, or whoever answers for the calling key; null for a key
 * of nobody's. Neither can be disabled or revoked from here on until the key is made: then it is seen, and revoked too.
 * @throws unauthenticated (401) when that has just happened
 */
async function answersFor(transaction: TenantDatabase, { type, id }: StaffCaller): Promise<string | null> {
  if (type === 'staff') {
    if (!(await holdStaff(transaction, id))) throw unauthenticated();
    return id;
  }
  if (type !== 'api_key') return null;
  const { createdById } = await readKey(transaction, id);
  // The person before the key, as whoever disables them does.
  if (createdById !== null) await holdStaff(transaction, createdById);
  const held = await holdKey(transaction, id);
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

function unknownKey(id: string): never {
  throw notFound(`No API key has the id ${id}.`);
}
