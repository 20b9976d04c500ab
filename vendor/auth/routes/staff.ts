/**
 * Staff users, as those who manage them see them.
 */
import { notFound, pageQuery, paginate, route } from '@carton/runtime';
import { lastOwner, ownAccount } from '../problems.ts';
import { ChangeStaffUser, StaffUser, StaffUserPage } from '../schemas.ts';
import { changeStaff, removeStaff as remove } from '../staff.ts';
import { findStaffById, type StaffRow } from '../store.ts';

const tag = 'Staff';

export const listStaff = route(
  {
    method: 'get',
    path: '/admin/users',
    operationId: 'listStaff',
    tag,
    summary: 'List staff',
    access: 'staff',
    query: pageQuery(),
    status: 200,
    response: StaffUserPage,
  },
  ({ db, query }) => paginate(db.table<StaffRow>('staff_users'), 'staff_users', query),
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
    response: StaffUser,
  },
  async ({ db, params }) => {
    const user = await findStaffById(db, params.id);
    if (!user) throw notFound(`No member of staff has the id ${params.id}.`);
    return user;
  },
);

export const updateStaff = route(
  {
    method: 'patch',
    path: '/admin/users/:id',
    operationId: 'updateStaff',
    tag,
    summary: "Change somebody's role, or disable or enable them",
    description: 'Who is disabled is signed out everywhere. The last active owner stays one.',
    access: 'staff',
    body: ChangeStaffUser,
    status: 200,
    response: StaffUser,
    problems: [lastOwner],
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
    access: 'staff',
    status: 204,
    problems: [lastOwner, ownAccount],
  },
  ({ params, ...caller }) => remove(caller, params.id),
);
