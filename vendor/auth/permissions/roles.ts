/**
 * The roles of staff, and the permissions of each. Packages with custom roles contribute `permissionSources`.
 */
import { oneOf } from '@carton/runtime';

const roles = ['owner', 'manager', 'viewer'] as const;
export type Role = (typeof roles)[number];
export const Role = oneOf(roles, {
  description: 'owner: everything; manager: everything but staff; viewer: reads only',
});

export const permissionsOfRole: Readonly<Record<Role, readonly string[]>> = {
  owner: ['*'],
  manager: ['*:read', '*:write'],
  viewer: ['*:read'],
};
