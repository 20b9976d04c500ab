/**
 * What the permissions of roles (roles.ts) and scopes include. A permission is `<package>:read` or `<package>:write`. `*` means all permissions;
 * `*:read` and `*:write` mean all except those that only owners have.
 */
import { extensionPoint, forbidden, type StaffCaller, type TenantDatabase } from '@carton/runtime';
import { permissionsOfRole, type Role } from './roles.ts';

/** A member of staff with a role, or an API key with scopes. */
export type PermissionHolder =
  | { readonly type: 'staff'; readonly id: string; readonly role: Role }
  | { readonly type: 'api_key'; readonly id: string; readonly permissions: readonly string[] };

/**
 * Returns the permissions of a holder, in place of those of the role or the scopes; null leaves these in force. Called
 * at every request of the holder, so it must run at most one statement and lock nothing; changes apply from the next
 * request on. Each entry is a permission of a mounted package, `*:read` or `*:write`.
 * @example permissionSources.with(async (db, { type, id }) => type === 'staff' ? findPermissionsOfRoles(db, id) : null)
 */
export type PermissionSource = (db: TenantDatabase, holder: PermissionHolder) => Promise<readonly string[] | null>;

/** Contributed to by packages with custom roles. The permissions of several sources are combined. */
export const permissionSources = extensionPoint<PermissionSource>('auth.permissions');

/**
 * The permissions of a holder. An owner has all permissions, whatever the sources return, so that a store cannot lock
 * itself out. A key never has more than its scopes.
 */
export async function permissionsOf(db: TenantDatabase, holder: PermissionHolder): Promise<readonly string[]> {
  const own = holder.type === 'staff' ? permissionsOfRole[holder.role] : holder.permissions;
  const sources = permissionSources.of(db);
  if (sources.length === 0 || (holder.type === 'staff' && holder.role === 'owner')) return own;
  const lists = (await Promise.all(sources.map((source) => source(db, holder)))).filter((list) => list !== null);
  if (lists.length === 0) return own;
  // Only owners have `*`.
  const combined = [...new Set(lists.flat())].filter((permission) => permission !== '*');
  return holder.type === 'staff' ? combined : combined.filter((permission) => permits(own, permission));
}

/** Only owners change the staff and the tenant itself. */
const ownersOnly = new Set(['auth:write', 'tenant:write']);

/** True if the permissions include the required one. */
export function permits(permissions: readonly string[], permission: string): boolean {
  if (permissions.includes('*') || permissions.includes(permission)) return true;
  if (ownersOnly.has(permission)) return false;
  return permissions.includes(`*:${permission.split(':')[1]}`);
}

/** Those of the known permissions that a list with wildcards includes. */
export function permissionsAmong(permissions: readonly string[], known: readonly string[]): string[] {
  return known.filter((permission) => permits(permissions, permission));
}

/**
 * Refuses a change that involves permissions which the caller lacks: granting them, or changing someone who has them.
 * @throws forbidden (403) naming them
 */
export function refuseGrantBeyond(caller: Pick<StaffCaller, 'permissions'>, granted: readonly string[]): void {
  const lacking = granted.filter((permission) => !permits(caller.permissions, permission));
  if (lacking.length > 0) throw forbidden(`This involves permissions that you do not have: ${lacking.join(', ')}.`);
}
