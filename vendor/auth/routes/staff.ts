/**
 * Staff users, as those who manage them see them.
 */
import { externalIdTaken, paginateIntegration, route } from '@carton/runtime';
import { lastOwner, ownAccount } from '../problems.ts';
import {
  ChangeStaffUser,
  RemovedStaffUser,
  RemoveStaffUser,
  StaffUserPage,
  StaffUserQuery,
  StaffUserWithKeys,
} from '../schemas.ts';
import { changeStaff, readStaffUser, removeStaff as remove } from '../staff.ts';
import type { StaffRow } from '../store.ts';

const tag = 'Staff';

export const listStaff = route(
  {
    method: 'get',
    path: '/admin/users',
    operationId: 'listStaff',
    tag,
    summary: 'List staff',
    access: 'staff',
    query: StaffUserQuery,
    status: 200,
    response: StaffUserPage,
  },
  ({ db, query }) => paginateIntegration(db, db.table<StaffRow>('staff_users'), 'staff_users', query),
);

export const readStaff = route(
  {
    method: 'get',
    path: '/admin/users/:id',
    operationId: 'readStaff',
    tag,
    summary: 'Read a member of staff',
    access: 'staff',
    status: 200,
    response: StaffUserWithKeys,
  },
  ({ db, params }) => readStaffUser(db, params.id),
);

export const updateStaff = route(
  {
    method: 'patch',
    path: '/admin/users/:id',
    operationId: 'updateStaff',
    tag,
    summary: "Change somebody's role, or disable or enable them",
    description:
      'Who is disabled is signed out everywhere, and their API keys are revoked unless `keepApiKeys` is true. The last ' +
      'active owner stays one.',
    access: 'staff',
    body: ChangeStaffUser,
    status: 200,
    response: StaffUserWithKeys,
    problems: [externalIdTaken, lastOwner],
  },
  ({ params, body, ...caller }) => changeStaff(caller, params.id, body),
);

export const removeStaff = route(
  {
    method: 'delete',
    path: '/admin/users/:id',
    operationId: 'removeStaff',
    tag,
    summary: 'Remove a member of staff',
    description:
      'Their sessions end, and their API keys are revoked unless `keepApiKeys` is true. The last owner stays.',
    access: 'staff',
    query: RemoveStaffUser,
    status: 200,
    response: RemovedStaffUser,
    problems: [lastOwner, ownAccount],
  },
  ({ params, query, ...caller }) => remove(caller, params.id, query),
);
