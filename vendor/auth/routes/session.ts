/**
 * Routes of staff sessions.
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
    summary: 'Log in and open a staff session',
    description: 'Closes the session whose token or cookie the request sends.',
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
    summary: 'Log out and close the staff session',
    access: 'staff',
    permission: false,
    status: 204,
  },
  ({ db, staff, cookies }) => logOut(db, staff.sessionId, { cookies }),
);
