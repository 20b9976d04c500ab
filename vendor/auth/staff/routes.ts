/**
 * Routes to manage staff.
 */
import { integrationQuery, resource, route } from '@carton/runtime';
import { StaffUser } from '../schemas.ts';
import { staffUsers } from '../store.ts';
import { lastOwner, ownAccount } from './problems.ts';
import { ChangeStaffUser, RemovedStaffUser, RemoveStaffUser, StaffUserPage, StaffUserWithKeys } from './schemas.ts';
import { changeStaff, readStaffUser, removeStaff as remove } from './service.ts';

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
    summary: 'Change the role of a member of staff, or disable or enable the account',
    description:
      'A new role limits the API keys of the person, too, as `apiKeys` says, and withdraws open invites that the person may ' +
      'no longer send. Disabling ends all sessions and invites and, unless `keepApiKeys` is true, revokes the API keys. The ' +
      'last active owner cannot be demoted or disabled.',
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
      'Ends all sessions and open invites and, unless `keepApiKeys` is true, revokes the API keys of the person; kept keys ' +
      'have at most the permissions that the person had. The last owner cannot be removed.',
    query: RemoveStaffUser,
    status: 200,
    response: RemovedStaffUser,
    problems: [lastOwner, ownAccount],
  },
  ({ params, query, ...caller }) => remove(caller, params.id, query),
);
