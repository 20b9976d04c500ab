/**
 * Keys that keys have created. A key ends with the one that created it, and never has more rights or a later expiry: an
 * attacker with a key for a day must not make one for ever of it.
 */
import { permissionsOf, permits } from '@carton/auth';
import { forbidden, invalidField, type StaffCaller, type TenantDatabase } from '@carton/runtime';
import type { ApiKey } from './schemas.ts';
import { type Ancestor, apiKeys, findAncestors } from './store.ts';

type Child = Pick<ApiKey, 'id' | 'parentId'>;

/** The keys above a key, the next one first. Most keys have none, and cost no query. */
export async function ancestorsOf(db: TenantDatabase, { parentId }: Child): Promise<readonly Ancestor[]> {
  return parentId === null ? [] : findAncestors(db, parentId);
}

/** The permissions of a key, limited by those that the keys above it have now. */
export async function permissionsWithin(
  db: TenantDatabase,
  { id, scopes }: Pick<ApiKey, 'id' | 'scopes'>,
  ancestors: readonly Ancestor[],
): Promise<readonly string[]> {
  const lists = await Promise.all(
    [{ id, scopes }, ...ancestors].map((key) =>
      permissionsOf(db, { type: 'api_key', id: key.id, permissions: key.scopes }),
    ),
  );
  return lists.reduce(intersectionOf);
}

/** What both lists include, where either may have wildcards. */
function intersectionOf(one: readonly string[], other: readonly string[]): readonly string[] {
  const common = [
    ...one.filter((permission) => permits(other, permission)),
    ...other.filter((permission) => permits(one, permission)),
  ];
  return [...new Set(common)];
}

/** The expiry of a key that a key creates: by default that of its creator. @throws invalid_request (400) for a later one */
export function expiryWithin(expiresAt: string | undefined, parent: Pick<ApiKey, 'expiresAt'> | null): string | null {
  const limit = parent?.expiresAt ?? null;
  if (expiresAt === undefined || limit === null) return expiresAt ?? limit;
  if (Date.parse(expiresAt) > Date.parse(limit))
    throw invalidField('/expiresAt', 'is later than that of the key that creates it');
  return expiresAt;
}

/** @throws invalid_request (400) if the scopes of a key exceed those of a key above it */
export function requireScopesWithin(scopes: readonly string[], ancestors: readonly Ancestor[]): void {
  const beyond = scopes.findIndex((scope) => !ancestors.every((key) => permits(key.scopes, scope)));
  if (beyond >= 0) throw invalidField(`/scopes/${beyond}`, 'is not a scope of the key that created it');
}

/**
 * Refuses that a key strengthens or takes over a key which does not end with it: the other one would keep the rights after
 * the caller's end. A key may change itself.
 * @throws forbidden (403)
 */
export function requireBelow(staff: StaffCaller, key: Child, ancestors: readonly Ancestor[], verb: string): void {
  if (staff.type !== 'api_key' || staff.id === key.id || ancestors.some(({ id }) => id === staff.id)) return;
  throw forbidden(`A key can only ${verb} itself and keys that it has created.`);
}

/**
 * Calls `revoke` for the keys below a key that are not revoked. The key must be locked: so is each one before those that
 * it has created are read, since a key is created with a lock on its creator.
 */
export async function eachBelow(
  tx: TenantDatabase,
  id: string,
  revoke: (id: string) => Promise<unknown>,
): Promise<void> {
  for (const child of await apiKeys.lockAllBy(tx, { parentId: id })) {
    if (child.revokedAt === null) await revoke(child.id);
    await eachBelow(tx, child.id, revoke);
  }
}
