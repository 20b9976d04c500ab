/**
 * Shapes of the management of staff.
 */
import { changeOf, externalFields, integrationPageOf, object, type Static, Type, Uuid } from '@carton/runtime';
import { Role } from '../permissions/roles.ts';
import { StaffKey } from '../permissions/schemas.ts';
import { StaffStatus, StaffUser } from '../schemas.ts';

export const StaffUserPage = integrationPageOf(StaffUser, 'StaffUserPage');

const apiKeys = Type.Array(StaffKey, {
  description: 'The newest keys for which this person is responsible, at most 100',
});

export const StaffUserWithKeys = object({ ...StaffUser.properties, apiKeys }, { $id: 'StaffUserWithKeys' });
export type StaffUserWithKeys = Static<typeof StaffUserWithKeys>;
export const RemovedStaffUser = object({ id: Uuid, apiKeys }, { $id: 'RemovedStaffUser' });
export type RemovedStaffUser = Static<typeof RemovedStaffUser>;
const keepApiKeys = Type.Boolean({ description: "Whether to keep the person's API keys instead of revoking them" });
export const RemoveStaffUser = object({ keepApiKeys: Type.Optional(keepApiKeys) });

export const ChangeStaffUser = changeOf(
  { role: Role, status: StaffStatus, ...externalFields, keepApiKeys },
  { $id: 'ChangeStaffUser' },
);
export type ChangeStaffUser = Static<typeof ChangeStaffUser>;
