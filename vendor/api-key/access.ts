/**
 * Integrations as callers: a secret key in place of a member of staff.
 */
import { permissionsOf, permits } from '@carton/auth';
import { type BoxAccessKind, bearerToken, forbidden, type TenantDatabase, unauthenticated } from '@carton/runtime';
import { hashOfKey } from './key.ts';
import type { ApiKey } from './schemas.ts';
import { apiKeys, noteUse } from './store.ts';

/**
 * The key of this tenant with this text, if it holds; null for what is no key, or none of this tenant.
 * @throws unauthenticated (401) for one that is revoked or has expired
 */
export async function findApiKey(db: TenantDatabase, text: string): Promise<ApiKey | null> {
  const keyHash = hashOfKey(text);
  const key = keyHash && (await apiKeys.findBy(db, { keyHash }));
  if (!key) return null;
  if (key.revokedAt !== null) throw refusal('This API key is revoked.');
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now()) throw refusal('This API key has expired.');
  await noteUse(db, key);
  return key;
}

function refusal(detail: string) {
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
      description: 'A secret key of POST /admin/api-keys',
    },
  },
  async authenticate(ctx, { tenant, db }) {
    const text = tenant && bearerToken(ctx);
    const key = text && (await findApiKey(db, text));
    if (!key) return null;
    if (key.kind !== 'secret') throw forbidden('A publishable key opens no staff route: this needs a secret one.');
    const { id, name: label, scopes } = key;
    const permissions = await permissionsOf(db, { type: 'api_key', id, permissions: scopes });
    return { staff: { type: 'api_key', id, label, permissions } };
  },
  permits: ({ staff }, permission) => permits(staff.permissions, permission),
};
