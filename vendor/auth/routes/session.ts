/**
 * Signing in and out, and who is signed in.
 */
import { route, unauthenticated } from '@carton/runtime';
import { permissionsOf } from '../access.ts';
import { LogIn, Me, StaffSession } from '../schemas.ts';
import { logIn, wrongLogIn } from '../service.ts';
import { findStaffById, removeSession } from '../store.ts';

const tag = 'Staff';

export const logInStaff = route(
  {
    method: 'post',
    path: '/admin/auth/login',
    operationId: 'logInStaff',
    tag,
    summary: 'Open a staff session',
    access: 'public',
    body: LogIn,
    status: 200,
    response: StaffSession,
    problems: [wrongLogIn],
  },
  ({ db, body, client }) => logIn(db, body, client),
);

export const logOutStaff = route(
  {
    method: 'post',
    path: '/admin/auth/logout',
    operationId: 'logOutStaff',
    tag,
    summary: 'Close the staff session',
    access: 'staff',
    permission: false,
    status: 204,
  },
  async ({ db, staff }) => {
    if (staff.sessionId) await removeSession(db, staff.sessionId);
  },
);

export const readMe = route(
  {
    method: 'get',
    path: '/admin/me',
    operationId: 'readMe',
    tag,
    summary: 'Read the signed-in member of staff and their permissions',
    access: 'staff',
    permission: false,
    status: 200,
    response: Me,
  },
  async ({ db, staff, box }) => {
    const user = await findStaffById(db, staff.id);
    if (!user) throw unauthenticated();
    return { ...user, permissions: permissionsOf(staff.permissions, box.permissions) };
  },
);
