/**
 * What a role or a list of scopes lets somebody do. A permission is `<package>:read` or `<package>:write`;
 * `*` stands for all of them, `*:read` and `*:write` for all that are not the owners' alone.
 */
import { forbidden, type StaffCaller } from '@carton/runtime';
import type { Role } from './schemas.ts';

export const permissionsOfRole: Readonly<Record<Role, readonly string[]>> = {
  owner: ['*'],
  manager: ['*:read', '*:write'],
  viewer: ['*:read'],
};

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
