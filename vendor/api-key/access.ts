/**
 * Authentication of integrations by a secret key, on routes for staff.
 */
import { permits } from '@carton/auth';
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
import { ancestorsOf, isExpired, isRevoked, permissionsWithin } from './lineage.ts';
import { type Ancestor, apiKeys, recordUse } from './store.ts';

/**
 * Finds a key of the tenant by its text, with the keys above it; null for an unknown or malformed key.
 * @throws unauthenticated (401) if it, or a key above it, is revoked or expired
 */
async function findWithAncestors(db: TenantDatabase, text: string) {
  const keyHash = hashOfKey(text);
  const key = keyHash && (await apiKeys.findBy(db, { keyHash }));
  if (!key) return null;
  refuseEnded(key, 'This API key');
  const ancestors = await ancestorsOf(db, key);
  for (const ancestor of ancestors) refuseEnded(ancestor, 'The API key that created this one');
  await recordUse(db, key);
  return { key, ancestors };
}

/** @throws unauthenticated (401) */
function refuseEnded(key: Pick<Ancestor, 'revokedAt' | 'expiresAt'>, which: string): void {
  if (isRevoked(key)) throw invalidKey(`${which} has been revoked.`);
  if (isExpired(key)) throw invalidKey(`${which} has expired.`);
}

/** Whether a key is that of a storefront's server. */
export const isStorefrontKey: StorefrontKeys = async (db, text) => {
  const found = await findWithAncestors(db, text).catch((error) => {
    if (error instanceof Problem) return null;
    throw error;
  });
  if (found?.key.kind !== 'secret') return false;
  return permits(await permissionsWithin(db, found.key, found.ancestors), storefrontPermission);
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
    const found = text && (await findWithAncestors(db, text));
    if (!found) return null;
    const { key, ancestors } = found;
    if (key.kind !== 'secret')
      throw forbidden('A publishable key does not authenticate staff routes. Use a secret key.');
    const { id, name: label } = key;
    const permissions = await permissionsWithin(db, key, ancestors);
    return { staff: { type: 'api_key', id, label, permissions } };
  },
  permits: ({ staff }, permission) => permits(staff.permissions, permission),
};
