/**
 * Staff as callers: a bearer session, and what each role may do.
 */
import { type AccessKind, bearerToken, hashToken, type StaffCaller, type TenantScope } from '@carton/runtime';
import type { Role } from './schemas.ts';
import { findStaffBySession } from './store.ts';

/** Rights by role; `*` stands for all, `*:read` for every read. */
const rights: Record<Role, readonly string[]> = {
  owner: ['*'],
  manager: ['*:read', '*:write'],
  viewer: ['*:read'],
};

/** What only owners change: who works here, and the merchant itself. */
const ownersOnly = new Set(['auth:write', 'tenant:write']);

export function permits(permissions: readonly string[], permission: string): boolean {
  if (permissions.includes('*') || permissions.includes(permission)) return true;
  if (ownersOnly.has(permission)) return false;
  return permissions.includes(`*:${permission.split(':')[1]}`);
}

/** The rights of a role spelled out among those that this box knows. */
export function permissionsOf(permissions: readonly string[], known: readonly string[]): string[] {
  return known.filter((permission) => permits(permissions, permission));
}

export const staffAccess: AccessKind<TenantScope, StaffCaller> = {
  name: 'staff',
  schemes: { staffSession: { type: 'http', scheme: 'bearer', description: 'Token of POST /admin/auth/login' } },
  async authenticate(ctx, { tenant, db }) {
    const token = bearerToken(ctx);
    if (!token?.startsWith('sts_') || !tenant) return null;
    const staff = await findStaffBySession(db, hashToken(token));
    if (!staff) return null;
    const { id, email, role, sessionId } = staff;
    return { type: 'staff', id, label: email, permissions: rights[role], sessionId };
  },
  permits: (caller, permission) => permits(caller.permissions, permission),
};
