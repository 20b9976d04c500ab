/**
 * An invite is worth what its inviter may grant now: a person who is demoted or leaves must not come back, or bring others,
 * by an invite of before.
 */
import type { Actor, TenantDatabase } from '@carton/runtime';
import { permissionsOfResponsible, staffKeyrings } from '../permissions/keys.ts';
import { permissionsOfRole } from '../permissions/roles.ts';
import { permits } from '../permissions/service.ts';
import { staffUsers } from '../store.ts';
import { type InviteRow, type Inviter, staffInvites } from './store.ts';

/** The inviter as stored: none for the operator and the first invite of a tenant, whose invites stay valid. */
export function inviterOf(actor: Pick<Actor, 'type' | 'id'> | null): Inviter {
  return actor === null || actor.type === 'operator'
    ? { inviterType: null, inviterId: null }
    : { inviterType: actor.type, inviterId: actor.id };
}

/** Whether the inviter of an invite may still grant its role. */
export async function isBacked(db: TenantDatabase, { role, ...inviter }: InviteRow): Promise<boolean> {
  const granted = await permissionsOfInviter(db, inviter);
  return permissionsOfRole[role].every((permission) => permits(granted, permission));
}

/** Deletes the open invites of a person or a key, except those with roles that it may still grant. */
export async function withdrawInvitesBeyond(tx: TenantDatabase, actor: Pick<Actor, 'type' | 'id'>): Promise<void> {
  for (const open of await staffInvites.lockAllBy(tx, inviterOf(actor)))
    if (!(await isBacked(tx, open))) await staffInvites.remove(tx, open.id);
}

async function permissionsOfInviter(
  db: TenantDatabase,
  { inviterType, inviterId }: Inviter,
): Promise<readonly string[]> {
  if (inviterId === null) return ['*'];
  if (inviterType === 'staff') {
    const person = await staffUsers.find(db, inviterId);
    return person?.status === 'active' ? ((await permissionsOfResponsible(db, inviterId)) ?? []) : [];
  }
  const lists = await Promise.all(staffKeyrings.of(db).map((keyring) => keyring.permissionsOf(db, inviterId)));
  return lists.find((list) => list !== null) ?? [];
}
