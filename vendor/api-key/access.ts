/**
 * Authentication of integrations by a secret key, on routes for staff.
 */
import { permissionsOf, permits } from '@carton/auth';
import {
  type BoxAccessKind,
  bearerToken,
  forbidden,
  Problem,
  type StorefrontKeys,
  storefrontPermission,
  type TenantDatabase,
  unauthenticated,
} from '@carton/runtime';
import { hashOfKey } from './key.ts';
import type { ApiKey } from './schemas.ts';
import { apiKeys, recordUse } from './store.ts';

/**
 * Finds a key of the tenant by its text; null for an unknown or malformed key.
 * @throws unauthenticated (401) if it is revoked or expired
 */
export async function findApiKey(db: TenantDatabase, text: string): Promise<ApiKey | null> {
  const keyHash = hashOfKey(text);
  const key = keyHash && (await apiKeys.findBy(db, { keyHash }));
  if (!key) return null;
  if (key.revokedAt !== null) throw invalidKey('This API key has been revoked.');
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now()) throw invalidKey('This API key has expired.');
  await recordUse(db, key);
  return key;
}

function permissionsOfKey(db: TenantDatabase, { id, scopes }: ApiKey): Promise<readonly string[]> {
  return permissionsOf(db, { type: 'api_key', id, permissions: scopes });
}

/** Whether a key is that of a storefront's server. */
export const isStorefrontKey: StorefrontKeys = async (db, text) => {
  const key = await findApiKey(db, text).catch((error) => {
    if (error instanceof Problem) return null;
    throw error;
  });
  return key?.kind === 'secret' && permits(await permissionsOfKey(db, key), storefrontPermission);
};

function invalidKey(detail: string) {
  return unauthenticated(detail, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

export const apiKeyAccess: BoxAccessKind<'apiKey'> = {
  name: 'apiKey',
  substitutesFor: 'staff',
  schemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'ck_secret_…',
      description: 'A secret key from POST /admin/api-keys',
    },
  },
  async authenticate(ctx, { tenant, db }) {
    const text = tenant && bearerToken(ctx);
    const key = text && (await findApiKey(db, text));
    if (!key) return null;
    if (key.kind !== 'secret')
      throw forbidden('A publishable key does not authenticate staff routes. Use a secret key.');
    const { id, name: label } = key;
    return { staff: { type: 'api_key', id, label, permissions: await permissionsOfKey(db, key) } };
  },
  permits: ({ staff }, permission) => permits(staff.permissions, permission),
};
