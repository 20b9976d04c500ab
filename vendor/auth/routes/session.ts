/**
 * Signing in and out.
 */
import { route, tooManyRequests } from '@carton/runtime';
import { wrongLogIn } from '../problems.ts';
import { LogIn, StaffSession } from '../schemas.ts';
import { logIn, logOut } from '../sessions.ts';

const tag = 'Staff';

export const logInStaff = route(
  {
    method: 'post',
    path: '/admin/auth/login',
    operationId: 'logInStaff',
    tag,
    summary: 'Open a staff session',
    description: 'A session that the request carries is closed.',
    access: 'public',
    body: LogIn,
    status: 200,
    response: StaffSession,
    problems: [wrongLogIn, tooManyRequests],
  },
  ({ body, ...caller }) => logIn(caller, body),
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
  ({ db, staff, cookies }) => logOut(db, staff.sessionId, { cookies }),
);
