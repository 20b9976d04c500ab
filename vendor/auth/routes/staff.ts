/**
 * Staff users, as those who manage them see them.
 */
import { integrationQuery, resource, route } from '@carton/runtime';
import { lastOwner, ownAccount } from '../problems.ts';
import {
  ChangeStaffUser,
  RemovedStaffUser,
  RemoveStaffUser,
  StaffUser,
  StaffUserPage,
  StaffUserWithKeys,
} from '../schemas.ts';
import { changeStaff, readStaffUser, removeStaff as remove } from '../staff.ts';
import { staffUsers } from '../store.ts';

const common = { tag: 'Staff', access: 'staff' } as const;

export const staffRoutes = resource({
  ...common,
  path: '/admin/users',
  noun: 'member of staff',
  item: StaffUser,
  detail: StaffUserWithKeys,
  rows: staffUsers,
  list: { operationId: 'listStaff', summary: 'List staff', query: integrationQuery(), page: StaffUserPage },
  read: { operationId: 'readStaff', run: ({ db, params }) => readStaffUser(db, params.id) },
  change: {
    operationId: 'updateStaff',
    summary: "Change somebody's role, or disable or enable them",
    description:
      'Who is disabled is signed out everywhere, and their API keys are revoked unless `keepApiKeys` is true. The last ' +
      'active owner stays one.',
    body: ChangeStaffUser,
    problems: [lastOwner],
    run: ({ params, body, ...caller }) => changeStaff(caller, params.id, body),
  },
});

export const removeStaff = route(
  {
    ...common,
    method: 'delete',
    path: '/admin/users/:id',
    operationId: 'removeStaff',
    summary: 'Remove a member of staff',
    description:
      'Their sessions end, and their API keys are revoked unless `keepApiKeys` is true. The last owner stays.',
    query: RemoveStaffUser,
    status: 200,
    response: RemovedStaffUser,
    problems: [lastOwner, ownAccount],
  },
  ({ params, query, ...caller }) => remove(caller, params.id, query),
);
