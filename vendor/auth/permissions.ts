/**
 * What a role or a list of scopes lets somebody do. A permission is `<package>:read` or `<package>:write`;
 * `*` stands for all of them, `*:read` and `*:write` for all that are not the owners' alone.
 */
import { extensionPoint, forbidden, type StaffCaller, type TenantDatabase } from '@carton/runtime';
import type { Role } from './schemas.ts';

/** What the roles that this package knows let somebody do. */
export const permissionsOfRole: Readonly<Record<Role, readonly string[]>> = {
  owner: ['*'],
  manager: ['*:read', '*:write'],
  viewer: ['*:read'],
};

/** Who may do something: a member of staff with their role, or an API key with its scopes. */
export type PermissionHolder =
  | { readonly type: 'staff'; readonly id: string; readonly role: Role }
  | { readonly type: 'api_key'; readonly id: string; readonly permissions: readonly string[] };

/**
 * Says what somebody may do, in place of what their role or scopes say; null when it has no say about them. Asked at
 * every request of theirs, so it makes one statement at most and locks nothing; what it takes away is gone with the
 * next request. Each entry is a permission of a mounted package, `*:read` or `*:write`.
 * @example permissionSources.with(async (db, { type, id }) => type === 'staff' ? findPermissionsOfRoles(db, id) : null)
 */
export type PermissionSource = (db: TenantDatabase, holder: PermissionHolder) => Promise<readonly string[] | null>;

/** Where packages that keep roles of a shop's own join in. Of several that have a say the permissions add up. */
export const permissionSources = extensionPoint<PermissionSource>('auth.permissions');

/**
 * What somebody may do. An owner may do everything, whatever sources say: a shop cannot lock itself out. A key never
 * does more than its scopes.
 */
export async function permissionsOf(db: TenantDatabase, holder: PermissionHolder): Promise<readonly string[]> {
  const own = holder.type === 'staff' ? permissionsOfRole[holder.role] : holder.permissions;
  const sources = permissionSources.of(db);
  if (sources.length === 0 || (holder.type === 'staff' && holder.role === 'owner')) return own;
  const said = (await Promise.all(sources.map((source) => source(db, holder)))).filter((answer) => answer !== null);
  if (said.length === 0) return own;
  // `*` is an owner's alone.
  const given = [...new Set(said.flat())].filter((permission) => permission !== '*');
  return holder.type === 'staff' ? given : given.filter((permission) => permits(own, permission));
}

/** What only owners change: who works here, and the merchant itself. */
const ownersOnly = new Set(['auth:write', 'tenant:write']);

/** Whether somebody with these permissions has the one that is asked for. */
export function permits(permissions: readonly string[], permission: string): boolean {
  if (permissions.includes('*') || permissions.includes(permission)) return true;
  if (ownersOnly.has(permission)) return false;
  return permissions.includes(`*:${permission.split(':')[1]}`);
}

/** Permissions spelled out among those that a box knows. */
export function permissionsAmong(permissions: readonly string[], known: readonly string[]): string[] {
  return known.filter((permission) => permits(permissions, permission));
}

/** Nobody gives, or touches, rights beyond their own. @throws forbidden (403) naming what the caller lacks */
export function refuseGrantBeyond(caller: Pick<StaffCaller, 'permissions'>, granted: readonly string[]): void {
  const lacking = granted.filter((permission) => !permits(caller.permissions, permission));
  if (lacking.length > 0) throw forbidden(`This is about rights that you do not have: ${lacking.join(', ')}.`);
}
